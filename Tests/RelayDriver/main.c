// Puts load on a relay and takes as little of the machine as it can: so that the relay is what is measured, not the load.
//
// Drives PageBridge's relay (pages, and one host connection for each app) or a relay of pairs such as Tests/ByteRelay, one thread, and
// prints one line of JSON. Bodies have a number and are compared with what was sent; anything lost or altered ends it with 1.
// It speaks to loopback only and ends by itself. `RelayDriver --help` lists the options.

#define _GNU_SOURCE
#include "driver.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  READ_BYTES = 1 << 18,
  FLUSH_BYTES = 1 << 16,
  OPENING_AT_ONCE = 64,
  // An address has ports for some 28,000 connections; the fewer are free, the longer the system looks for one.
  SOCKETS_OF_AN_ADDRESS = 5000,
  DOCUMENT_OFFSET = 36,
  PREFIX_BYTES = 46,
  // Of the protocol: a message on the wire has 32 KiB at most, with its wrapper.
  PART_BYTES = 32000,
  STREAM_WINDOW = 32,
  MAX_APPS = 64,
};

struct options options = {
  .apps = 1, .sessions = 100, .size = 128, .depth = 1, .seconds = 3, .warm_up = 0.3};

static struct connection *app_hosts[MAX_APPS];
static struct session *sessions;
static int session_count, started, opening, opened, hosts_ready;
static int poller;
static char *template;
static char scratch[1 << 18];
static struct connection *touched;
static struct session *hungry;
static int is_flowing, is_counting;
static uint64_t outstanding, round_trips, delivered, corrupted, stream_bytes;
static struct histogram histogram;

static void fail(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
  exit(1);
}

// MARK: Sockets

static void watch(struct connection *connection) {
  int wants = connection->state == CONNECTING || connection->out_bytes > connection->out_start;
  if (wants == connection->is_waiting) return;
  connection->is_waiting = wants;
  struct epoll_event event = {.events = EPOLLIN | (wants ? EPOLLOUT : 0), .data.ptr = connection};
  epoll_ctl(poller, EPOLL_CTL_MOD, connection->fd, &event);
}

static void flush_out(struct connection *connection) {
  while (connection->out_start < connection->out_bytes) {
    ssize_t sent = send(connection->fd, connection->out + connection->out_start,
      connection->out_bytes - connection->out_start, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno != EAGAIN) fail("a socket broke: %s", strerror(errno));
      break;
    }
    connection->out_start += (size_t)sent;
  }
  if (connection->out_start == connection->out_bytes) connection->out_start = connection->out_bytes = 0;
  watch(connection);
}

static char *append(struct connection *connection, size_t count) {
  if (connection->out_start > 0 && connection->out_bytes + count > connection->out_room) {
    memmove(connection->out, connection->out + connection->out_start, connection->out_bytes - connection->out_start);
    connection->out_bytes -= connection->out_start;
    connection->out_start = 0;
  }
  if (connection->out_bytes + count > connection->out_room) {
    connection->out_room = connection->out_bytes + count + FLUSH_BYTES;
    connection->out = realloc(connection->out, connection->out_room);
  }
  char *place = connection->out + connection->out_bytes;
  connection->out_bytes += count;
  if (!connection->is_touched) {
    connection->is_touched = 1;
    connection->next_touched = touched;
    touched = connection;
  }
  return place;
}

// Writes a masked frame into the place and answers its length.
static size_t frame(char *place, int opcode, const char *bytes, size_t count) {
  static const unsigned char key[4] = {0x5a, 0x3c, 0x96, 0xe1};
  size_t header = 2;
  place[0] = (char)(0x80 | opcode);
  if (count < 126) {
    place[1] = (char)(0x80 | count);
  } else if (count < 65536) {
    place[1] = (char)(0x80 | 126);
    place[2] = (char)(count >> 8);
    place[3] = (char)count;
    header = 4;
  } else {
    fail("a frame of %zu bytes is not made here", count);
  }
  memcpy(place + header, key, 4);
  header += 4;
  char *text = place + header;
  uint64_t wide;
  memcpy(&wide, key, 4);
  memcpy((char *)&wide + 4, key, 4);
  size_t at = 0;
  for (; at + 8 <= count; at += 8) {
    uint64_t word;
    memcpy(&word, bytes + at, 8);
    word ^= wide;
    memcpy(text + at, &word, 8);
  }
  for (; at < count; at++) text[at] = (char)(bytes[at] ^ (char)key[at & 3]);
  return header + count;
}

// Sends a message, alone if nothing waits.
static void send_now(struct connection *connection, const char *bytes, size_t count) {
  if (connection->out_bytes > connection->out_start) {
    frame(append(connection, count + (count < 126 ? 6 : 8)), 1, bytes, count);
    return;
  }
  static char whole[1 << 16];
  size_t length = frame(whole, 1, bytes, count);
  ssize_t sent = send(connection->fd, whole, length, MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) fail("a socket broke: %s", strerror(errno));
  if (sent < 0) sent = 0;
  if ((size_t)sent < length) {
    memcpy(append(connection, length - (size_t)sent), whole + sent, length - (size_t)sent);
    watch(connection);
  }
}

// Queues a message for one common write.
static void send_later(struct connection *connection, const char *bytes, size_t count) {
  frame(append(connection, count + (count < 126 ? 6 : 8)), 1, bytes, count);
  if (connection->out_bytes - connection->out_start > FLUSH_BYTES && !connection->is_waiting) flush_out(connection);
}

static void begin(struct connection *connection) {
  static int made;
  connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (connection->fd < 0) fail("no socket: %s (the limit of open files is a system's: ulimit -n)", strerror(errno));
  int one = 1;
  setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  struct linger none = {.l_onoff = 1, .l_linger = 0};
  setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  struct sockaddr_in from = {
    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + (unsigned)(made++ / SOCKETS_OF_AN_ADDRESS))};
  setsockopt(connection->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  bind(connection->fd, (struct sockaddr *)&from, sizeof from);
  struct sockaddr_in to = {
    .sin_family = AF_INET, .sin_port = htons((uint16_t)options.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (connect(connection->fd, (struct sockaddr *)&to, sizeof to) && errno != EINPROGRESS)
    fail("no connection: %s", strerror(errno));
  connection->state = CONNECTING;
  connection->is_waiting = 1;
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.ptr = connection};
  epoll_ctl(poller, EPOLL_CTL_ADD, connection->fd, &event);
}

static void request(struct connection *connection) {
  char path[64];
  if (!options.is_pair) {
    snprintf(path, sizeof path, "/ws/drive%d", connection->index % options.apps);
  } else {
    snprintf(path, sizeof path, "/pair/%d/%s", connection->index, connection->kind == HOST ? "host" : "page");
  }
  int count = snprintf(scratch, sizeof scratch,
    "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Protocol: pagebridge.v1\r\n\r\n", path, options.port);
  if (send(connection->fd, scratch, (size_t)count, MSG_NOSIGNAL) != count) fail("a request did not leave");
  connection->state = UPGRADING;
  watch(connection);
}

// MARK: Bodies

static void number_body(char *body, uint32_t index, uint64_t number) {
  static const char digits[] = "0123456789abcdef";
  for (int at = 0; at < 8; at++) body[6 + at] = digits[index >> (28 - 4 * at) & 15];
  for (int at = 0; at < 16; at++) body[21 + at] = digits[number >> (60 - 4 * at) & 15];
}

static void make_template(void) {
  size_t room = options.size > PART_BYTES ? options.size : PART_BYTES;
  template = malloc(room + 1);
  memset(template, 'x', room);
  memcpy(template, "{\"i\":\"00000000\",\"n\":\"0000000000000000\",\"t\":\"", 44);
  memcpy(template + options.size - 2, "\"}", 2);
}

// Floods compare the ends of a body only, since the comparison is not to be what is measured.
static int is_body(const char *bytes, size_t count, uint32_t index, uint64_t number) {
  number_body(template, index, number);
  if (count != options.size) return 0;
  if (options.is_flood) return memcmp(bytes, template, 44) == 0 && memcmp(bytes + count - 8, template + count - 8, 8) == 0;
  return memcmp(bytes, template, count) == 0;
}

static int is_active(const struct session *session) {
  return (int)session->page.index < options.active;
}

static void post(struct session *session, uint64_t due) {
  session->due[session->sent % (uint64_t)options.depth] = due;
  session->sent++;
  outstanding++;
  number_body(template, session->page.index, session->sent);
  send_now(&session->page, template, options.size);
}

static void fill(struct session *session) {
  while (session->sent - session->taken < (uint64_t)options.window) {
    session->sent++;
    outstanding++;
    number_body(template, session->page.index, session->sent);
    send_later(&session->page, template, options.size);
  }
}

// The stream's parts are answered with a short message, as a host acknowledges them.
static void stream(struct session *session) {
  static char *part;
  if (!part) {
    part = malloc(PART_BYTES);
    memset(part, 'y', PART_BYTES);
    memcpy(part, "{\"part\":\"", 9);
    memcpy(part + PART_BYTES - 2, "\"}", 2);
  }
  while (session->sent - session->taken < STREAM_WINDOW) {
    session->sent++;
    send_later(&session->page, part, PART_BYTES);
  }
}

// MARK: Messages

static void page_received(struct session *session, const char *text, size_t count) {
  if (text[0] == '[') {
    if (session->page.state == GREETING && memmem(text, count, "\"attach\":", 9)) {
      session->page.state = OPEN;
      opening--;
      opened++;
    }
    return;
  }
  if ((int)session->page.index == options.sessions) {
    session->taken++;
    if (is_counting) stream_bytes += PART_BYTES;
    if (is_flowing) stream(session);
    return;
  }
  session->taken++;
  outstanding--;
  if (!is_body(text, count, session->page.index, session->taken)) corrupted++;
  uint64_t now = clock_now();
  if (is_counting) record(&histogram, now - session->due[(session->taken - 1) % (uint64_t)options.depth]);
  if (is_counting) round_trips++;
  if (is_flowing && options.rate == 0 && (options.messages == 0 || round_trips + outstanding < options.messages))
    post(session, now);
}

static void host_took(struct session *session, struct connection *host, const char *text, size_t count, const char *body, size_t body_bytes) {
  if ((int)session->page.index == options.sessions) {
    // What a host acknowledges with: the wrapper, if there is one, around a few bytes.
    size_t prefix = (size_t)(body - text), suffix = count - prefix - body_bytes;
    char answer[128];
    memcpy(answer, text, prefix);
    memcpy(answer + prefix, "{\"a\":123456,\"d\":123456}", 23);
    memcpy(answer + prefix + 23, "]", suffix);
    send_later(host, answer, prefix + 23 + suffix);
    return;
  }
  if (options.is_flood) {
    session->taken++;
    outstanding--;
    if (!is_body(body, body_bytes, session->page.index, session->taken)) corrupted++;
    if (is_counting) delivered++;
    if (!session->is_hungry) {
      session->is_hungry = 1;
      session->next_hungry = hungry;
      hungry = session;
    }
    return;
  }
  if (options.is_pair) send_now(host, text, count); else send_later(host, text, count);
}

static uint32_t document_index(const char *digits) {
  char text[9] = "";
  memcpy(text, digits, 8);
  return (uint32_t)strtoul(text, NULL, 16);
}

static void copy_name(const char *text, size_t count, const char *name, char *value, size_t length) {
  char quoted[32];
  int quoted_bytes = snprintf(quoted, sizeof quoted, "\"%s\":\"", name);
  const char *found = memmem(text, count, quoted, (size_t)quoted_bytes);
  if (!found || found + quoted_bytes + length > text + count) fail("no '%s' in %.*s", name, (int)count, text);
  memcpy(value, found + quoted_bytes, length);
  value[length] = 0;
}

static void host_received(struct connection *host, const char *text, size_t count) {
  if (options.is_pair) {
    host_took(&sessions[host->index], host, text, count, text, count);
  } else if (text[0] == '[') {
    uint32_t index = document_index(text + DOCUMENT_OFFSET);
    if (index >= (uint32_t)session_count) fail("a message for nobody");
    host_took(&sessions[index], host, text, count, text + PREFIX_BYTES, count - PREFIX_BYTES - 1);
  } else if (count > 8 && memcmp(text, "{\"open\":", 8) == 0) {
    char session[34], document[9], answer[256];
    copy_name(text, count, "session", session, 33);
    copy_name(text, count, "document", document, 8);
    int length = snprintf(answer, sizeof answer,
      "{\"opened\":{\"session\":\"%s\",\"document\":\"%s\",\"config\":{\"handlers\":[\"echo\"],\"settings\":{},\"version\":1}}}",
      session, document);
    send_later(host, answer, (size_t)length);
  } else if (host->state == GREETING) {
    host->state = OPEN;
    hosts_ready++;
  }
}

static void greet(struct connection *connection) {
  char hello[256];
  int count;
  if (options.is_pair) {
    connection->state = OPEN;
    if (connection->kind == HOST) {
      begin(&sessions[connection->index].page);
    } else {
      opening--;
      opened++;
    }
    return;
  }
  connection->state = GREETING;
  if (connection->kind == HOST) {
    count = snprintf(hello, sizeof hello, "{\"hello\":{\"role\":\"host\",\"app\":\"drive%d\",\"epoch\":\"drive%03d\"}}",
      connection->index, connection->index);
  } else {
    count = snprintf(hello, sizeof hello,
      "{\"hello\":{\"role\":\"page\",\"app\":\"drive%d\",\"document\":\"%08x\",\"late\":\"keep\",\"client\":{\"kind\":\"page\"}}}",
      connection->index % options.apps, connection->index);
  }
  send_now(connection, hello, (size_t)count);
}

// Takes whole frames; answers how many bytes they were.
static size_t take(struct connection *connection, char *bytes, size_t count) {
  size_t at = 0;
  if (connection->state == UPGRADING) {
    char *end = memmem(bytes, count, "\r\n\r\n", 4);
    if (!end) return 0;
    if (!memmem(bytes, (size_t)(end - bytes), " 101 ", 5)) fail("not upgraded: %.*s", (int)(end - bytes), bytes);
    at = (size_t)(end + 4 - bytes);
    greet(connection);
  }
  while (count - at >= 2) {
    unsigned char *head = (unsigned char *)bytes + at;
    size_t length = head[1] & 127, header = 2;
    if (length == 126) {
      if (count - at < 4) break;
      length = (size_t)head[2] << 8 | head[3];
      header = 4;
    } else if (length == 127) {
      fail("a frame is too long");
    }
    if (count - at < header + length) break;
    char *text = (char *)head + header;
    switch (head[0] & 15) {
    case 1:
      if (connection->kind == HOST) host_received(connection, text, length);
      else page_received(&sessions[connection->index], text, length);
      break;
    case 8: fail("the relay closed: %d %.*s", length >= 2 ? (text[0] & 255) << 8 | (text[1] & 255) : 0,
      (int)(length >= 2 ? length - 2 : 0), text + 2); break;
    case 9: frame(append(connection, length + 6), 10, text, length); break;
    default: fail("an unknown frame");
    }
    at += header + length;
  }
  return at;
}

static void receive(struct connection *connection) {
  static char bytes[READ_BYTES + (1 << 17)];
  size_t kept = connection->kept_bytes;
  if (kept) memcpy(bytes, connection->kept, kept);
  ssize_t count = recv(connection->fd, bytes + kept, READ_BYTES, 0);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) fail("the relay hung up: %s", count ? strerror(errno) : "end");
  size_t whole = kept + (size_t)count;
  size_t taken = take(connection, bytes, whole);
  connection->kept_bytes = whole - taken;
  if (connection->kept_bytes > connection->kept_room) {
    connection->kept_room = connection->kept_bytes;
    connection->kept = realloc(connection->kept, connection->kept_room);
  }
  if (connection->kept_bytes) memcpy(connection->kept, bytes + taken, connection->kept_bytes);
}

// MARK: Turns

static void turn(int64_t wait_nanoseconds) {
  static struct epoll_event events[512];
  struct timespec wait = {.tv_sec = wait_nanoseconds / 1000000000, .tv_nsec = wait_nanoseconds % 1000000000};
  int count = epoll_pwait2(poller, events, 512, &wait, NULL);
  for (int index = 0; index < count; index++) {
    struct connection *connection = events[index].data.ptr;
    if (connection->state == CONNECTING && events[index].events & (EPOLLOUT | EPOLLERR)) {
      int code = 0;
      socklen_t length = sizeof code;
      getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &code, &length);
      if (code) fail("no connection: %s", strerror(code));
      request(connection);
      continue;
    }
    if (events[index].events & EPOLLOUT) flush_out(connection);
    if (events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(connection);
  }
  while (hungry) {
    struct session *session = hungry;
    hungry = session->next_hungry;
    session->is_hungry = 0;
    if (is_flowing) fill(session);
  }
  while (touched) {
    struct connection *connection = touched;
    touched = connection->next_touched;
    connection->is_touched = 0;
    if (!connection->is_waiting) flush_out(connection);
  }
}

static void open_sessions(void) {
  if (!options.is_pair)
    for (int app = 0; app < options.apps; app++) {
      app_hosts[app] = calloc(1, sizeof *app_hosts[app]);
      app_hosts[app]->kind = HOST;
      app_hosts[app]->index = (uint32_t)app;
      begin(app_hosts[app]);
    }
  uint64_t limit = clock_now() + 60000000000;
  while (!options.is_pair && hosts_ready < options.apps && clock_now() < limit) turn(100000000);
  while (opened < session_count) {
    if (clock_now() > limit) fail("only %d of %d sessions were opened in a minute", opened, session_count);
    for (; opening < OPENING_AT_ONCE && started < session_count; started++, opening++) {
      struct session *session = &sessions[started];
      session->page.index = (uint32_t)started;
      session->due = calloc((size_t)options.depth, sizeof *session->due);
      if (!options.is_pair) {
        begin(&session->page);
        continue;
      }
      session->host = calloc(1, sizeof *session->host);
      session->host->kind = HOST;
      session->host->index = (uint32_t)started;
      begin(session->host);
    }
    turn(100000000);
  }
}

static void start_traffic(void) {
  is_flowing = 1;
  for (int index = 0; index < options.sessions; index++) {
    if (!is_active(&sessions[index])) break;
    if (options.is_flood) fill(&sessions[index]);
    else if (options.rate == 0)
      for (int number = 0; number < options.depth; number++) post(&sessions[index], clock_now());
  }
  if (options.streams) stream(&sessions[options.sessions]);
}

// Posts what is due; each message counts from its own time.
static void pace(uint64_t start, uint64_t *paced) {
  double nanoseconds = 1e9 / options.rate;
  uint64_t now = clock_now();
  while (start + (uint64_t)((double)*paced * nanoseconds) <= now) {
    struct session *session = &sessions[*paced % (uint64_t)options.active];
    // One that still waits for as many answers as it may have under way would overwrite their times.
    if (session->sent - session->taken < (uint64_t)options.depth)
      post(session, start + (uint64_t)((double)*paced * nanoseconds));
    else options.skipped++;
    (*paced)++;
  }
}

static void flow(double seconds) {
  static uint64_t start, paced;
  if (!start) start = clock_now();
  uint64_t end = clock_now() + (uint64_t)(seconds * 1e9);
  while (clock_now() < end) {
    if (options.messages && round_trips >= options.messages) return;
    if (options.rate > 0) {
      pace(start, &paced);
      int64_t rest = (int64_t)(start + (uint64_t)((double)paced * 1e9 / options.rate)) - (int64_t)clock_now();
      turn(rest > 0 ? rest : 0);
    } else {
      turn(50000000);
    }
  }
}

static void hold(double seconds) {
  uint64_t end = clock_now() + (uint64_t)(seconds * 1e9);
  while (clock_now() < end) turn(50000000);
}

int main(int count, char **words) {
  signal(SIGPIPE, SIG_IGN);
  read_options(count, words);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  rlim_t needed = (rlim_t)options.sessions * (options.is_pair ? 2 : 1) + 64;
  if (needed > limit.rlim_cur)
    fail("%llu open files are needed, the system allows %llu: raise 'ulimit -Hn'", (unsigned long long)needed,
      (unsigned long long)limit.rlim_cur);
  session_count = options.sessions + options.streams;
  sessions = calloc((size_t)session_count, sizeof *sessions);
  make_template();
  poller = epoll_create1(EPOLL_CLOEXEC);

  uint64_t resident_before = resident_bytes(options.process);
  uint64_t start = clock_now();
  double open_cpu = cpu_seconds(options.process);
  open_sessions();
  double open_seconds = (double)(clock_now() - start) / 1e9;
  open_cpu = cpu_seconds(options.process) - open_cpu;
  hold(options.idle > 0 ? options.idle : 0.2);
  uint64_t resident_after = resident_bytes(options.process);
  if (options.waits) {
    printf("ready\n");
    fflush(stdout);
    char line[8];
    if (!fgets(line, sizeof line, stdin)) return 1;
  }

  double seconds = 0, relay_cpu = 0, own_cpu = 0;
  if (options.seconds > 0) {
    if (options.messages) is_counting = 1;
    start_traffic();
    if (!options.messages) flow(options.warm_up);
    is_counting = 1;
    relay_cpu = cpu_seconds(options.process);
    own_cpu = cpu_seconds(0);
    start = clock_now();
    flow(options.seconds);
    seconds = (double)(clock_now() - start) / 1e9;
    is_counting = is_flowing = 0;
    relay_cpu = cpu_seconds(options.process) - relay_cpu;
    own_cpu = cpu_seconds(0) - own_cpu;
    uint64_t patience = clock_now() + 10000000000;
    while (outstanding && clock_now() < patience) turn(50000000);
  }
  uint64_t messages = options.is_flood ? delivered : 2 * round_trips;
  printf("{\"sessions\":%d,\"openSeconds\":%.6f,\"openCpuSeconds\":%.6f,\"seconds\":%.6f,\"messages\":%llu,\"messagesPerSecond\":%.1f,"
    "\"p50\":%.3f,\"p90\":%.3f,\"p99\":%.3f,\"p999\":%.3f,\"max\":%.3f,\"relayCpuSeconds\":%.6f,\"cpuPerMessage\":%.4f,"
    "\"driverShare\":%.3f,\"residentBefore\":%llu,\"residentAfter\":%llu,\"streamBytesPerSecond\":%.0f,\"skipped\":%llu,"
    "\"lost\":%llu,\"corrupted\":%llu}\n",
    options.sessions, open_seconds, open_cpu, seconds, (unsigned long long)messages, seconds > 0 ? (double)messages / seconds : 0,
    quantile(&histogram, 0.5), quantile(&histogram, 0.9), quantile(&histogram, 0.99), quantile(&histogram, 0.999),
    quantile(&histogram, 1), relay_cpu, messages ? relay_cpu * 1e6 / (double)messages : 0,
    seconds > 0 ? own_cpu / seconds : 0, (unsigned long long)resident_before, (unsigned long long)resident_after,
    seconds > 0 ? (double)stream_bytes / seconds : 0, (unsigned long long)options.skipped,
    (unsigned long long)outstanding, (unsigned long long)corrupted);
  return outstanding || corrupted ? 1 : 0;
}
