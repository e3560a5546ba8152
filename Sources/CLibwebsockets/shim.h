#pragma once
#include <libwebsockets.h>

// Macros that Swift cannot import, as constants of the same meaning.
static const uint64_t pagebridge_option_libuv = LWS_SERVER_OPTION_LIBUV;
static const uint64_t pagebridge_option_explicit_vhosts = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
static const uint64_t pagebridge_option_tls_init = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
static const int pagebridge_port_client = CONTEXT_PORT_NO_LISTEN;
static const int pagebridge_port_adopting_server = CONTEXT_PORT_NO_LISTEN_SERVER;
static const int pagebridge_kill_now = LWS_TO_KILL_SYNC;
static const int pagebridge_log_levels = LLL_ERR | LLL_WARN;
