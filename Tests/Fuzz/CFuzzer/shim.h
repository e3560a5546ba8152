// The entry of libFuzzer for programs that have a main function of their own; the toolchain installs no header for it.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
