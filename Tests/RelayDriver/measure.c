// Clocks, memory, histogram and options of the driver.

#define _GNU_SOURCE
#include "driver.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

double cpu_seconds(int process) {
  clockid_t id = CLOCK_PROCESS_CPUTIME_ID;
  if (process && clock_getcpuclockid(process, &id)) return 0;
  struct timespec used;
  if (clock_gettime(id, &used)) return 0;
  return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

uint64_t resident_bytes(int process) {
  if (!process) return 0;
  char path[64], line[128];
  snprintf(path, sizeof path, "/proc/%d/smaps_rollup", process);
  FILE *file = fopen(path, "r");
  unsigned long long kilobytes = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Rss: %llu kB", &kilobytes) == 1) break;
  if (file) fclose(file);
  return kilobytes * 1024;
}

void record(struct histogram *histogram, uint64_t nanoseconds) {
  size_t bucket = nanoseconds;
  if (nanoseconds >= 64) {
    int shift = 63 - __builtin_clzll(nanoseconds) - 6;
    bucket = (size_t)(shift + 1) * 64 + (size_t)(nanoseconds >> shift) - 64;
  }
  histogram->counts[bucket]++;
  histogram->count++;
  if (nanoseconds > histogram->most) histogram->most = nanoseconds;
}

double quantile(const struct histogram *histogram, double share) {
  uint64_t rank = (uint64_t)(share * (double)histogram->count + 0.999999), seen = 0;
  if (share >= 1 || !histogram->count) return (double)histogram->most / 1000;
  for (size_t bucket = 0; bucket < 60 * 64; bucket++) {
    seen += histogram->counts[bucket];
    if (seen < rank || !histogram->counts[bucket]) continue;
    if (bucket < 64) return (double)bucket / 1000;
    return (double)((64 + bucket % 64 + 1) << (bucket / 64 - 1)) / 1000;
  }
  return (double)histogram->most / 1000;
}

static const char *help =
  "Usage: RelayDriver --port PORT [options]\n"
  "  --port PORT      the relay's port at 127.0.0.1\n"
  "  --pair           the relay has two sockets a session: /pair/N/page and /pair/N/host\n"
  "  --apps N         hosts, each of an app of its own (default: 1)\n"
  "  --sessions N     sessions (default: 100)\n"
  "  --active N       so many of them talk (default: all)\n"
  "  --size BYTES     bytes of each message, 64 to 32000 (default: 128)\n"
  "  --depth N        messages that a session has under way (default: 1)\n"
  "  --rate R         messages a second of all sessions, times count from when one was due (default: as fast as answers come)\n"
  "  --flood          pages send without answers\n"
  "  --stream         one more session streams messages of 16 MiB in parts, as the protocol has it\n"
  "  --messages N     end after so many round trips\n"
  "  --seconds S      how long traffic flows; 0 for none (default: 3)\n"
  "  --idle S         hold the open sessions for so long before\n"
  "  --pid PID        the relay's process, for its processor time and memory\n"
  "  --wait           print 'ready' when all is open, and begin when a line comes\n";

static double number(const char *name, const char *text, double least, double most) {
  char *end;
  double value = strtod(text, &end);
  if (end != text && !*end && value >= least && value <= most) return value;
  fprintf(stderr, "--%s takes %g to %g, not '%s'\n", name, least, most, text);
  exit(64);
}

void read_options(int count, char **words) {
  static const struct option known[] = {
    {"port", 1, 0, 'p'}, {"pair", 0, 0, 'P'}, {"apps", 1, 0, 'a'}, {"sessions", 1, 0, 's'}, {"active", 1, 0, 'A'},
    {"size", 1, 0, 'b'}, {"depth", 1, 0, 'd'}, {"rate", 1, 0, 'r'}, {"flood", 0, 0, 'f'}, {"stream", 0, 0, 'S'},
    {"messages", 1, 0, 'm'}, {"seconds", 1, 0, 't'}, {"idle", 1, 0, 'i'}, {"pid", 1, 0, 'I'}, {"wait", 0, 0, 'w'},
    {"help", 0, 0, 'h'}, {0, 0, 0, 0}};
  int option, at = 0;
  while ((option = getopt_long(count, words, "", known, &at)) != -1) {
    const char *name = option == '?' ? "" : known[at].name;
    switch (option) {
    case 'p': options.port = (int)number(name, optarg, 1, 65535); break;
    case 'P': options.is_pair = 1; break;
    case 'a': options.apps = (int)number(name, optarg, 1, 64); break;
    case 's': options.sessions = (int)number(name, optarg, 1, 100000); break;
    case 'A': options.active = (int)number(name, optarg, 1, 100000); break;
    case 'b': options.size = (size_t)number(name, optarg, 64, 32000); break;
    case 'd': options.depth = (int)number(name, optarg, 1, 1024); break;
    case 'r': options.rate = number(name, optarg, 1, 10000000); break;
    case 'f': options.is_flood = 1; break;
    case 'S': options.streams = 1; break;
    case 'm': options.messages = (uint64_t)number(name, optarg, 1, 1e12); break;
    case 't': options.seconds = number(name, optarg, 0, 600); break;
    case 'i': options.idle = number(name, optarg, 0, 600); break;
    case 'I': options.process = (int)number(name, optarg, 1, 1 << 30); break;
    case 'w': options.waits = 1; break;
    case 'h': fputs(help, stdout); exit(0);
    default: fputs(help, stderr); exit(64);
    }
  }
  if (optind < count || !options.port) {
    fputs(help, stderr);
    exit(64);
  }
  if (!options.active || options.active > options.sessions) options.active = options.sessions;
  options.window = (int)(65536 / options.size);
  if (options.window < 4) options.window = 4;
}
