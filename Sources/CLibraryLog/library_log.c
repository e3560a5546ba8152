// Takes the place of libwebsockets' own `_lws_log`, which the library calls by its symbol some twenty times a message, and which
// prepares its arguments for `_lws_logv` before anything looks at the level.

#include "library_log.h"

#include <libwebsockets.h>
#include <stdarg.h>

_Static_assert(LLL_ERR == 1 && LLL_WARN == 2, "the header names these levels by their numbers");

void _lws_log(int level, const char *format, ...) {
  if (!(level & pagebridge_log_levels)) return;
  va_list arguments;
  va_start(arguments, format);
  _lws_logv(level, format, arguments);
  va_end(arguments);
}
