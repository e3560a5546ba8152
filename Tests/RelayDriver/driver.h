#pragma once
#include <stddef.h>
#include <stdint.h>

// What the driver is to do; see `read_options`.
struct options {
  int port, is_pair, apps, sessions, active, depth, is_flood, window, streams, waits;
  size_t size;
  uint64_t messages, skipped;
  double seconds, warm_up, rate, idle;
  // The relay, whose processor time and memory are measured; 0 for none.
  int process;
};

extern struct options options;

void read_options(int count, char **words);

// One WebSocket that the driver has made.
struct connection {
  int fd;
  enum { PAGE, HOST } kind;
  enum { CONNECTING, UPGRADING, GREETING, OPEN } state;
  // The number of its session, or of its app if it is a host of many.
  uint32_t index;
  // What waits to go out, and the beginning of a frame whose rest has not come.
  char *out, *kept;
  size_t out_start, out_bytes, out_room, kept_bytes, kept_room;
  int is_waiting, is_touched;
  struct connection *next_touched;
};

struct session {
  struct connection page;
  // Its own host's socket, where relays have pairs.
  struct connection *host;
  uint64_t sent, taken;
  // When the messages under way were due.
  uint64_t *due;
  int is_hungry;
  struct session *next_hungry;
};

// Durations in logarithmic buckets of 1.6 %.
struct histogram {
  uint64_t counts[60 * 64], count, most;
};

void record(struct histogram *histogram, uint64_t nanoseconds);
// In microseconds.
double quantile(const struct histogram *histogram, double share);

// Nanoseconds of the monotonic clock.
uint64_t clock_now(void);
// Processor time of a process, of this one for 0, with all its threads.
double cpu_seconds(int process);
uint64_t resident_bytes(int process);
