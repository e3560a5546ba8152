#pragma once
#include <libwebsockets.h>

// Macros that Swift cannot import, as constants of the same meaning.
static const uint64_t pagebridge_option_libuv = LWS_SERVER_OPTION_LIBUV;
static const uint64_t pagebridge_option_explicit_vhosts = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
static const uint64_t pagebridge_option_tls_init = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
static const int pagebridge_port_client = CONTEXT_PORT_NO_LISTEN;
static const int pagebridge_port_adopting_server = CONTEXT_PORT_NO_LISTEN_SERVER;
static const int pagebridge_kill_now = LWS_TO_KILL_SYNC;

// How long a connection may be silent before the library itself pings it, and before it hangs up: never. This package pings by its own wheel,
// and the library keeps such times in one sorted list, through which each new connection and each pong goes from its start.
static const lws_retry_bo_t pagebridge_no_validity_checks = {.secs_since_valid_ping = 0, .secs_since_valid_hangup = 0};
static inline const lws_retry_bo_t *pagebridge_validity_policy(void) { return &pagebridge_no_validity_checks; }
