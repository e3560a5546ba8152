#pragma once

// The levels of libwebsockets' lines that are wanted: errors and warnings. Others cost a call and nothing more.
static const int pagebridge_log_levels = 1 | 2;
