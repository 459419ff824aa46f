# One entry per backend x transport x version. A backend that is not built is skipped, by name.
add_executable(test_conformance ${CMAKE_CURRENT_LIST_DIR}/conformance.cpp)
target_link_libraries(test_conformance PRIVATE tlsrig_check tlsrig_options)

function(tlsrig_conformance backend transport name version)
  add_test(NAME conformance.${backend}.${transport}.${name}
    COMMAND test_conformance --plugins ${PROJECT_BINARY_DIR}/lib/tlsrig --backend ${backend} --transport ${transport}
            --version ${version} --tally ${PROJECT_BINARY_DIR}/conformance/${backend}.${transport}.${name}.txt)
  set_tests_properties(conformance.${backend}.${transport}.${name} PROPERTIES
    TIMEOUT 300 LABELS contract SKIP_RETURN_CODE 77 ENVIRONMENT TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials)
endfunction()

foreach(transport wire fd)
  tlsrig_conformance(plaintcp ${transport} plain none)
  foreach(backend openssl boringssl wolfssl gnutls)
    tlsrig_conformance(${backend} ${transport} tls12 1.2)
    tlsrig_conformance(${backend} ${transport} tls13 1.3)
  endforeach()
endforeach()

foreach(backend plaintcp openssl boringssl wolfssl gnutls)
  if(TARGET ${backend})
    add_dependencies(test_conformance ${backend})
  endif()
endforeach()

# The steps themselves: a backend that breaks one law at a time must fail, by name and in these words, and one that
# breaks none must pass.
add_library(faulty MODULE ${CMAKE_CURRENT_LIST_DIR}/fixtures/check/faulty.cpp)
target_link_libraries(faulty PRIVATE tlsrig_abi tlsrig_options)
target_link_options(faulty PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/core/sdk/exports.version)
set_target_properties(faulty PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/check)
add_dependencies(test_conformance faulty)

function(tlsrig_fault fault version step words)
  set(in_force ${fault})
  if(ARGC GREATER 4) # a fault that two steps show
    set(in_force ${ARGV4})
  endif()
  add_test(NAME conformance.fault.${fault}
    COMMAND test_conformance --plugins ${PROJECT_BINARY_DIR}/tests/check --backend faulty --transport wire
            --version ${version} --step ${step})
  set_tests_properties(conformance.fault.${fault} PROPERTIES TIMEOUT 60 LABELS contract PASS_REGULAR_EXPRESSION "${words}"
    ENVIRONMENT "TLSRIG_FAULT=${in_force};TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials")
endfunction()

tlsrig_fault(none none . "summary: [0-9]+ pass, 0 fail")
set(with_tls_only tickets-follow-the-handshake close-notify-is-closed end-between-records end-inside-a-record
  end-in-the-handshake shutdown-twice calls-in-the-handshake calls-after-an-error tampered-record unknown-ca
  expired-certificate wrong-host-name wrong-ip-address no-host-name verification-off client-certificate-not-asked-for
  client-certificate-missing client-certificate-missing-alert client-certificate-unknown-ca client-certificate-expired
  key-purpose facts-of-a-hello-retry data-is-encrypted facts-as-on-the-wire unknown-cipher unknown-group
  cipher-of-another-protocol missing-files files-that-are-not-pem key-of-another-certificate cipher-is-pinned
  record-size-max record-size-out-of-range outputs-on-ok-only bad-neighbours garbage-among-a-hundred cancelled-among-a-hundred
  end-over-out-window-of-1 alert-over-out-window-of-1 end-over-out-window-of-16 alert-over-out-window-of-16
  end-over-out-window-of-512 alert-over-out-window-of-512 end-over-out-window-of-65536 alert-over-out-window-of-65536
  certificates-of-40-kib handshake-in-small-records flat-over-a-thousand)
list(JOIN with_tls_only ", " with_tls_only)
tlsrig_fault(no-encryption 1.3 . "failed: ${with_tls_only}")
tlsrig_fault(silent-error none calls-before "FAIL calls-before-the-handshake: client .* has no text")
tlsrig_fault(handshake-never-ends none pieces-of-5
  "FAIL pieces-of-5: handshake fails when input comes 5 bytes at a time .and also when it is not cut.: standstill: client waits in handshake")
tlsrig_fault(no-conversation none ^conversation "FAIL conversation: standstill: client waits in handshake" handshake-never-ends)
tlsrig_fault(peeks-at-a-header 1.3 pieces-of-1$
  "FAIL pieces-of-1: handshake fails when input comes 1 byte at a time .works from 5.: client handshake.. answered ERROR .CONFIG: no header")
tlsrig_fault(read-before-handshake none calls-before "FAIL calls-before-the-handshake: client read.. answered WANT_READ")
tlsrig_fault(close-sends none close-sends "FAIL close-sends-nothing: client close.. sent 1 bytes")
tlsrig_fault(holds-records none burst "FAIL burst-of-records: read.. answered WANT_READ after 4096 of 81920 bytes")
tlsrig_fault(never-reads none pieces-of-1460 "FAIL pieces-of-1460: .* answered WANT_READ with 1460 of 1460 bytes of in")
tlsrig_fault(whole-records-only none pieces-of-5
  "FAIL pieces-of-5: data exchange fails when input comes 5 bytes at a time .works .*.: .* WANT_READ with 5 of 5 bytes of in unused")
tlsrig_fault(output-without-ok none read-capacity-of-100$ "FAIL read-capacity-of-100: .* set .size with WANT_READ")
tlsrig_fault(closed-once none end-of-a-plain
  "FAIL end-of-a-plain-stream: server read.. answered WANT_READ after CLOSED.*.law 5: on a plain stream the end of the transport is CLOSED")
tlsrig_fault(wrong-byte none write-of-64-kib "FAIL write-of-64-kib: server read byte 50 of 65536 as")
tlsrig_fault(writes-beyond none read-capacity-of-100$ "FAIL read-capacity-of-100: .* wrote outside a buffer of 100 bytes")
tlsrig_fault(says-and-writes-too-much none read-capacity-of-100$
  "FAIL read-capacity-of-100: .* says 101 bytes into a buffer of 100. a guard byte behind it was overwritten")
tlsrig_fault(encrypts-in-place none write-of-64-kib "FAIL write-of-64-kib: client write.. changed the 65536 bytes that it was given to send")
if(NOT TLSRIG_SANITIZERS) # which find these by themselves
  tlsrig_fault(pads-in-place none write-of-64-kib "FAIL write-of-64-kib: client write.. overwrote a guard byte of what it was given to send, behind it")
endif()
tlsrig_fault(wire-beyond none read-capacity-of-100$ "FAIL read-capacity-of-100: .* wrote outside the tlsrig_wire: its guard bytes")
tlsrig_fault(facts-beyond none facts-of-a-plain "FAIL facts-of-a-plain-session: client describe.. wrote outside the tlsrig_facts")
tlsrig_fault(error-beyond none calls-before "FAIL calls-before-the-handshake: client read.. wrote outside the tlsrig_error given to open")
tlsrig_fault(context-error-beyond 1.3 outputs-on-ok "FAIL outputs-on-ok-only: create_context.. wrote outside the tlsrig_error")
tlsrig_fault(reads-too-much none read-capacity-of-100$ "FAIL read-capacity-of-100: .* says 101 bytes into a buffer of 100")
tlsrig_fault(changes-the-window none read-capacity-of-100$ "FAIL read-capacity-of-100: .* changed a member of the wire")
tlsrig_fault(empty-write-is-an-error none empty-write "FAIL empty-write: client write.. answered ERROR")
tlsrig_fault(writes-after-shutdown none write-after "FAIL write-after-shutdown: client write.. answered OK after shutdown")
tlsrig_fault(takes-all none write-of-64-kib "FAIL write-of-64-kib: client write.. says 65536 of 65536 bytes were taken")
tlsrig_fault(takes-nothing none writes-of-one "FAIL writes-of-one-byte: client write.. says 0 of 1 bytes were taken")
tlsrig_fault(blocks-early none write-of-64-kib "FAIL write-of-64-kib: .* WANT_WRITE with 0 of 65536 bytes of out used")
tlsrig_fault(bad-write-retry none blocked-write "FAIL blocked-write: client write.. answered ERROR .CONFIG: bad write retry")
tlsrig_fault(keeps-a-byte none nothing-stays
  "FAIL nothing-stays-inside: standstill: client waits in read.. for input that no one sends. server write.. had answered OK for 16,384 bytes, of which 16,383 arrived: the rest is still inside .law 2.")
tlsrig_fault(keeps-what-it-takes none read-capacity-of-100$
  "FAIL read-capacity-of-100: standstill: client waits in read.. for input that no one sends. server write.. had answered OK for 40,960 bytes, of which [0-9,]+ arrived: the rest is still inside the server .law 2., or held inside the client .law 1." holds-records)
# A law of all calls is told where it is broken, whatever the step is about.
tlsrig_fault(law-of-reads none ^conversation "FAIL conversation: .*a guard byte behind it was overwritten.*.law 4: a read gives 1 to capacity bytes" writes-beyond)
tlsrig_fault(law-of-input none ^conversation "FAIL conversation: .* bytes of in unused .*.law 1: WANT_READ says that all of in was used" never-reads)
tlsrig_fault(law-of-errors none calls-before "FAIL calls-before-the-handshake: .* has no text .*.law 8: ERROR and UNSUPPORTED come with" silent-error)
tlsrig_fault(law-of-bytes-inside none random "FAIL random-schedule: round 1 of 30 .* the rest is still inside .law 2.*.law 2: after OK the peer has all it needs" keeps-a-byte)
tlsrig_fault(notifies-for-ever none shutdown-twice "FAIL shutdown-twice: client shutdown.. has not answered OK in 10000 calls, and sends on")
tlsrig_fault(notifies-twice none shutdown-twice "FAIL shutdown-twice: client shutdown.. sent 3 more bytes when repeated")
tlsrig_fault(odd-answer none half-close "FAIL half-close: client shutdown.. answered 17, which is no answer")
tlsrig_fault(holds-records-read-ahead none burst-of-records-read "FAIL burst-of-records-read-ahead: read.. answered WANT_READ after 4096 of" holds-records)
tlsrig_fault(loses-a-byte-one-way 1.3 one-way-past "FAIL one-way-past-tickets: server read 4079 bytes; 4080 were written")
tlsrig_fault(empty-write-sends none empty-write$ "FAIL empty-write: client write.size 0. after shutdown sent 1 bytes")
tlsrig_fault(revived-by-nothing none empty-write-after "FAIL empty-write-after-an-error: client write.. answered OK with size 0 after ERROR")
tlsrig_fault(empty-read-gives-a-byte none empty-read "FAIL empty-read: server read.capacity 0. without input answered OK with 1 bytes")
tlsrig_fault(closed-by-its-own-shutdown none read-without "FAIL read-without-input: client read.. answered CLOSED after its own shutdown, without input")
tlsrig_fault(takes-another-write none instead-of "FAIL instead-of-a-blocked-write: client write.. answered .* while a write of another size is blocked")
tlsrig_fault(wrong-in-small-windows none data-over-out-window-of-16 "FAIL data-over-out-window-of-16: server read byte .* of 20480 as")
tlsrig_fault(notifies-twice-in-small-windows none end-over-out-window-of-16 "FAIL end-over-out-window-of-16: client shutdown.. sent 1 more bytes when repeated" notifies-twice)
tlsrig_fault(shuts-down-before-the-handshake none order-over-out-window-of-1$ "FAIL order-over-out-window-of-1: client shutdown.. answered OK before the handshake")
tlsrig_fault(wrong-after-900-kib none mebibyte "FAIL mebibyte-both-ways-at-once: server read byte .* of 1048576 as")
tlsrig_fault(hello 1.3 among-a-hundred "summary: 2 pass, 0 fail")
tlsrig_fault(garbage-harms-others 1.3 garbage-among 
  "FAIL garbage-among-a-hundred: session B failed after session A's garbage handshake on the same thread: .* an error that another session left behind")
tlsrig_fault(garbage-harms-a-neighbour 1.3 bad-neighbours
  "FAIL bad-neighbours: session B failed after session A's garbage handshake on the same thread: .* an error that another" garbage-harms-others)
tlsrig_fault(cancelling-harms-others 1.3 cancelled-among "FAIL cancelled-among-a-hundred: .* an error that another session left behind")
tlsrig_fault(leaks-descriptors none flat-over
  "FAIL flat-over-a-thousand: after 1,000 sessions, 1,000 descriptors are left open: socket x 1,000 ")
if(NOT TLSRIG_SANITIZERS) # with them the heap is not judged
  tlsrig_fault(leaks-a-descriptor-and-memory none flat-over
    "FAIL flat-over-a-thousand: memory grows by 10[.][23] KB a session .1,000 sessions.. 500 descriptors are left open: [^ ]* x 500 ")
  tlsrig_fault(leaks-ten-kib none flat-over "FAIL flat-over-a-thousand: memory grows by 10[.][23] KB a session .1,000 sessions. ")
  tlsrig_fault(leaks-memory none flat-over "WARN flat-over-a-thousand: memory grows by [4-9][.][0-9] bytes a session .1,000 sessions.")
endif()
tlsrig_fault(wrong-at-odd-capacities none random
  "FAIL random-schedule: round 1 of 30 with seed 1: (client|server) read byte [0-9]+ of 102400 as .*last call: input in pieces of")
tlsrig_fault(resets-sigpipe none signals
  "WARN signals-untouched: loading the plugin, or its start.., set SIGPIPE to its default: a peer that goes away would end")
tlsrig_fault(handles-sigusr1 none signals "WARN signals-untouched: handshake.. installed a handler for SIGUSR1")
tlsrig_fault(blocks-sigterm none signals "WARN signals-untouched: handshake.. blocked SIGTERM")
tlsrig_fault(old-headers none library-version
  "WARN library-version: the plugin was compiled with the headers of Nolib 1.1, and Nolib 1.2 runs")
tlsrig_fault(contradicts-the-wire 1.3 facts-as-on-the-wire "FAIL facts-as-on-the-wire: the client tells cipher TLS_AES_128_GCM_SHA256, and the server's first flight shows TLS_AES_256_GCM_SHA384")

# A plain backend with bytes of its own on the way: nothing that the contract allows may be held against it.
add_library(framing MODULE ${CMAKE_CURRENT_LIST_DIR}/fixtures/check/framing.cpp)
target_link_libraries(framing PRIVATE tlsrig_sdk tlsrig_options)
target_link_options(framing PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/core/sdk/exports.version)
set_target_properties(framing PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/check)
add_dependencies(test_conformance framing)

function(tlsrig_framing name transport fault step words)
  add_test(NAME conformance.framing.${name}
    COMMAND test_conformance --plugins ${PROJECT_BINARY_DIR}/tests/check --backend framing --transport ${transport}
            --version none --step ${step})
  set_tests_properties(conformance.framing.${name} PROPERTIES TIMEOUT 120 LABELS contract
    PASS_REGULAR_EXPRESSION "${words}" ENVIRONMENT TLSRIG_FAULT=${fault})
endfunction()

tlsrig_framing(wire wire none . "summary: [0-9]+ pass, 0 fail")
tlsrig_framing(fd fd none . "summary: [0-9]+ pass, 0 fail")
tlsrig_framing(keeps-the-last-record wire keeps-the-last-record nothing-stays
  "FAIL nothing-stays-inside: standstill: client waits in read.. for input that no one sends. server write.. had answered OK for 16,384 bytes, of which 0 arrived: the rest is still inside .law 2., or was never given to the library .law 2: after OK")
tlsrig_framing(keeps-the-last-of-a-burst wire keeps-the-last-record burst-of-records$
  "FAIL burst-of-records: server waits in read.. for input that no one sends. client write.. had answered OK for 81,920 bytes, of which 65,536 arrived: the rest is still inside .law 2., or was never given to the library .law 2: after OK")
tlsrig_framing(misses-the-goodbye wire misses-the-goodbye end-of-a
  "FAIL end-of-a-plain-stream: server read.. answered ERROR .TRUNCATED: the stream ended without goodbye.*.law 5: on a plain stream the end of the transport is CLOSED")

# The table that scripts/test prints: a whole tally, one that ends early, one that is missing, a backend not built.
add_test(NAME conformance.table
  COMMAND ${PROJECT_SOURCE_DIR}/scripts/conformance-table ${CMAKE_CURRENT_LIST_DIR}/fixtures/check/tallies
          alpha.wire.tls12 alpha.wire.tls13 alpha.fd.tls12 beta.fd.tls13 interop.wire)
string(CONCAT table "alpha wire +1 / 1 /  1 +ended early\n" "alpha fd +missing\n" "beta fd +not built\n"
  "all pairs wire +1 / 0 /  2\n" ".*Failed:\n  alpha.wire.tls12: second: the client read byte 7 of 9"
  ".*Skipped:\n  alpha: alpha cannot do that: third\n  pairs: beta cannot choose: 2 of beta->alpha\n")
set_tests_properties(conformance.table PROPERTIES TIMEOUT 10 LABELS contract PASS_REGULAR_EXPRESSION "${table}")
