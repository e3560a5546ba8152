#pragma once
#include <pthread.h>
#include <sys/socket.h>
#include <uv.h>

// The C library declares these for GNU programs only, and Swift does not import it as one.
int pthread_setname_np(pthread_t thread, const char *name);
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
