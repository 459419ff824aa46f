# The steps about extensions and tuning, with a true backend and one untruth at a time; and OpenSSL's configuration file.
if(NOT TARGET openssl)
  return()
endif()

add_library(faulty_extensions MODULE ${CMAKE_CURRENT_LIST_DIR}/fixtures/check/faulty_extensions.cpp)
target_link_libraries(faulty_extensions PRIVATE tlsrig_abi tlsrig_options ${CMAKE_DL_LIBS})
target_link_options(faulty_extensions PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/core/sdk/exports.version)
set_target_properties(faulty_extensions PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/check)
add_dependencies(faulty_extensions openssl)

set(extension_faults "resumed|ticket|nothing-to|verified-is|session-|keylog|pending|record-size|read-ahead|release-buffers")
function(tlsrig_untruth fault transport version step words)
  set(name conformance.untruth.${fault})
  add_test(NAME ${name}
    COMMAND test_conformance --plugins ${PROJECT_BINARY_DIR}/tests/check --backend faulty_extensions
            --transport ${transport} --version ${version} --step ${step})
  set_tests_properties(${name} PROPERTIES TIMEOUT 60 LABELS contract PASS_REGULAR_EXPRESSION "${words}"
    ENVIRONMENT "TLSRIG_FAULT=${fault};TLSRIG_INNER=$<TARGET_FILE:openssl>;TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials")
endfunction()

tlsrig_untruth(none wire 1.2 ${extension_faults} "summary: [0-9]+ pass, 0 fail")
tlsrig_untruth(always-resumed wire 1.3 resumed-by-ticket
  "FAIL resumed-by-ticket: the first handshake: the session was made by a full handshake, and the client tells resumed = 2")
tlsrig_untruth(resumed-in-words wire 1.3 resumed-by-ticket
  "FAIL resumed-by-ticket: .* first flight shows a session made by a full handshake, which should be resumed")
tlsrig_untruth(offers-nothing wire 1.2 resumed-by-session-id
  "FAIL resumed-by-session-id: .* first flight shows a session made by a full handshake, which should be resumed")
tlsrig_untruth(forgets-whom-it-verified wire 1.3 verified-is
  "FAIL verified-is-kept: by ticket, the client lost peer_verified|FAIL verified-is-kept: .*client lost peer_verified")
tlsrig_untruth(same-ticket-twice wire 1.3 tickets-used-once
  "FAIL tickets-used-once: take.. answered OK for the [0-9]+th time after 2 tickets were read")
tlsrig_untruth(counts-one-more wire 1.3 tickets-counted
  "FAIL tickets-counted: tickets_received.. is 1 with a server told to send 0; 0 is due")
tlsrig_untruth(tickets-although-off wire 1.3 nothing-to-resume
  "FAIL nothing-to-resume: tickets_received.. is 1 with tickets off")
tlsrig_untruth(cache-without-bound wire 1.2 session-cache-bounded
  "FAIL session-cache-bounded: 30 of 30 sessions were resumed with session_cache = 10")
tlsrig_untruth(cache-too-small wire 1.2 every-session-resumed
  "FAIL every-session-resumed: [0-9]+ of 100 sessions were resumed by their ids")
tlsrig_untruth(no-key-log wire 1.3 keylog-lines
  "FAIL keylog-lines: the client's key log has no line CLIENT_HANDSHAKE_TRAFFIC_SECRET")
tlsrig_untruth(key-log-with-a-comment wire 1.2 keylog-lines
  "FAIL keylog-lines: a line of the key log is .# secrets.; LABEL RANDOM SECRET was due")
tlsrig_untruth(key-log-of-others wire 1.3 keylog-of-its-own
  "FAIL keylog-of-its-own-sessions: a session of another context wrote to the key log")
tlsrig_untruth(counts-no-pending wire 1.3 pending-bytes "FAIL pending-bytes: 0 bytes are pending after 1000 of a record")
tlsrig_untruth(records-of-any-size wire 1.3 record-size-max
  "FAIL record-size-max: the client sent records of up to 16401 bytes with record_size_max = 512")
tlsrig_untruth(no-read-ahead fd 1.2 read-ahead "FAIL read-ahead: with read_ahead one read left [0-9]+ bytes")
tlsrig_untruth(any-purpose-of-servers wire 1.2 key-purpose
  "FAIL key-purpose: the client accepted its peer, whose certificate is for clients alone")
tlsrig_untruth(any-purpose-of-clients wire 1.3 key-purpose
  "FAIL key-purpose: the server accepted its peer, whose certificate is for servers alone")
tlsrig_untruth(ciphers-in-reverse wire 1.3 order-of-ciphers
  "FAIL order-of-ciphers: with (TLS_[A-Z0-9_]+) before (TLS_[A-Z0-9_]+) at both ends (TLS_[A-Z0-9_]+) was negotiated. the first was due")
tlsrig_untruth(ciphers-in-order-of-strength wire 1.2 order-of-ciphers
  "FAIL order-of-ciphers: with (TLS_[A-Z0-9_]+) before (TLS_[A-Z0-9_]+) at both ends (TLS_[A-Z0-9_]+) was negotiated. the first was due")
tlsrig_untruth(tells-another-group wire 1.2 facts-of-other
  "FAIL facts-of-other-suites: TLS_ECDHE_[A-Z0-9_]+, secp256r1: group secp256r1 was asked for and the client tells x448")
tlsrig_untruth(groups-of-another-kind wire 1.2 "facts-(aes|of-other|as-on)" "summary: 4 pass, 0 fail")
if(NOT TLSRIG_SANITIZERS) # with them the heap is not judged
  tlsrig_untruth(keeps-buffers fd 1.3 release-buffers "FAIL release-buffers: an idle pair holds")
  tlsrig_untruth(leaks-tickets wire 1.2 tickets-freed "FAIL tickets-freed: each of 10 rounds of 40 tickets")
endif()

# A configuration file that cuts protocols and ciphers must change nothing; the openssl command shows that it would.
set(hostile ${CMAKE_CURRENT_LIST_DIR}/fixtures/check/hostile_openssl.cnf)
add_test(NAME conformance.openssl.hostile-configuration
  COMMAND test_conformance --plugins ${PROJECT_BINARY_DIR}/lib/tlsrig --backend openssl --transport wire --version 1.3
          --step facts-as-shipped)
add_test(NAME conformance.openssl.hostile-configuration-is-one COMMAND openssl ciphers -s -v)
set_tests_properties(conformance.openssl.hostile-configuration conformance.openssl.hostile-configuration-is-one
  PROPERTIES TIMEOUT 60 LABELS contract
  ENVIRONMENT "OPENSSL_CONF=${hostile};TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials")
set_tests_properties(conformance.openssl.hostile-configuration PROPERTIES PASS_REGULAR_EXPRESSION
  "PASS facts-as-shipped: TLS 1.3, TLS_AES_256_GCM_SHA384, x25519")
set_tests_properties(conformance.openssl.hostile-configuration-is-one PROPERTIES FAIL_REGULAR_EXPRESSION AES)
