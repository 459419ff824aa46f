// libmissing.so.99: there when missing_library.c is linked, and nowhere when it is loaded.
int of_the_missing_library(void);

int of_the_missing_library(void) { return 0; }
