// Swift's Glibc module leaves this header of the C library out.
#include <getopt.h>
