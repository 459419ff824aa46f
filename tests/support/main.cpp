// The main function of the tests that have none of their own. Compiling doctest itself takes seconds: once is enough.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
