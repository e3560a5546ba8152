// Preloaded into the relay while it is counted: `cc -shared -fPIC -O2 -o counting.so counting.c`.
//
// At its end it writes how often memory was asked for.

#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong allocations;

void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  allocations++;
  return __libc_realloc(old, size);
}

int posix_memalign(void **made, size_t alignment, size_t size) {
  allocations++;
  *made = __libc_memalign(alignment, size);
  return *made ? 0 : 12;
}

void *aligned_alloc(size_t alignment, size_t size) {
  allocations++;
  return __libc_memalign(alignment, size);
}

// Valgrind writes into the mask, which libdispatch keeps in memory that is read only.
int sigsuspend(const sigset_t *mask) {
  sigset_t copy = *mask;
  return (int)syscall(SYS_rt_sigsuspend, &copy, 8);
}

__attribute__((destructor)) static void tell(void) {
  fprintf(stderr, "allocations: %lu\n", (unsigned long)allocations);
}
