# That the benchmark runs, every case of it. What it finds is not judged here: a figure is no assertion.
if(TARGET limits)
  add_test(NAME benchmarks.limits COMMAND limits --lives 1 --seconds 0.05)
  set_tests_properties(benchmarks.limits PROPERTIES TIMEOUT 60
    PASS_REGULAR_EXPRESSION "64 B +[0-9.]+ .*1 KiB +[0-9.]+ .*16 KiB +[0-9.]+ .*handshake +[0-9.]+ .*16 connections +[0-9.]+ .*stream of 64 B +[0-9.]+ .*stream of 16 KiB +[0-9.]+ "
    ENVIRONMENT TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials)
endif()
