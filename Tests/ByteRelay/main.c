// A byte relay on WebSockets: the physical limit that relays are measured against.
//
// GET /pair/ID/page and GET /pair/ID/host are upgraded; from then on the frames of one socket go to the other, unmasked, as a server
// has to send them, and else as they are: their text is neither checked nor counted. One thread, one read and one write for what
// one read brings, no timer, no limit but the kernel's.
// Prints its port and serves loopback until it is ended.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 32768, HEAD = 4096, PAIRS = 65536 };

struct end {
  int fd;
  struct end *peer;
  struct pair *pair;
  // Request bytes before the upgrade; later what the peer sent and this socket did not take.
  char *rest;
  size_t rest_bytes;
  // The rest of a frame's header, and what is known of the frame under way.
  unsigned char head[14];
  size_t head_bytes, left;
  unsigned char mask[4];
  unsigned at;
  int is_open, is_waiting;
};

struct pair {
  char id[64];
  struct end *ends[2];
  struct pair *next;
};

static struct pair *pairs[PAIRS];
static int poller;

static struct pair *find_pair(const char *id) {
  unsigned hash = 5381;
  for (const char *at = id; *at; at++) hash = hash * 33 + (unsigned char)*at;
  struct pair **place = &pairs[hash % PAIRS];
  for (struct pair *each = *place; each; each = each->next)
    if (strcmp(each->id, id) == 0) return each;
  struct pair *made = calloc(1, sizeof *made);
  snprintf(made->id, sizeof made->id, "%s", id);
  made->next = *place;
  *place = made;
  return made;
}

static void watch(struct end *end, int operation) {
  struct epoll_event event = {.events = EPOLLIN | (end->rest_bytes ? EPOLLOUT : 0), .data.ptr = end};
  // A socket whose peer is full is not read.
  if (end->peer && end->peer->rest_bytes) event.events &= ~(unsigned)EPOLLIN;
  epoll_ctl(poller, operation, end->fd, &event);
}

static void drop(struct end *end) {
  if (end->fd < 0) return;
  close(end->fd);
  end->fd = -1;
  struct end *peer = end->peer;
  if (end->pair) {
    if (end->pair->ends[0] == end) end->pair->ends[0] = NULL;
    if (end->pair->ends[1] == end) end->pair->ends[1] = NULL;
  }
  if (peer) {
    peer->peer = NULL;
    end->peer = NULL;
    drop(peer);
  }
  // Events of this turn may still point here, so that the memory is kept: a run ends soon.
}

static int put(struct end *end, const char *bytes, size_t count) {
  size_t written = 0;
  if (!end->rest_bytes) {
    ssize_t result = send(end->fd, bytes, count, MSG_NOSIGNAL);
    if (result < 0 && errno != EAGAIN) return -1;
    if (result > 0) written = (size_t)result;
  }
  if (written == count) return 0;
  end->rest = realloc(end->rest, end->rest_bytes + count - written);
  memcpy(end->rest + end->rest_bytes, bytes + written, count - written);
  end->rest_bytes += count - written;
  watch(end, EPOLL_CTL_MOD);
  if (end->peer) watch(end->peer, EPOLL_CTL_MOD);
  return 0;
}

static void flush_rest(struct end *end) {
  ssize_t result = send(end->fd, end->rest, end->rest_bytes, MSG_NOSIGNAL);
  if (result < 0) {
    if (errno != EAGAIN) drop(end);
    return;
  }
  end->rest_bytes -= (size_t)result;
  memmove(end->rest, end->rest + result, end->rest_bytes);
  if (end->rest_bytes) return;
  watch(end, EPOLL_CTL_MOD);
  if (end->peer) watch(end->peer, EPOLL_CTL_MOD);
}

static int header(const char *head, const char *name, char *value, size_t room) {
  size_t length = strlen(name);
  for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
    if (strncasecmp(line + 2, name, length) || line[2 + length] != ':') continue;
    const char *start = line + 3 + length;
    while (*start == ' ') start++;
    const char *stop = strstr(start, "\r\n");
    if (!stop || (size_t)(stop - start) >= room) return 0;
    memcpy(value, start, (size_t)(stop - start));
    value[stop - start] = 0;
    return 1;
  }
  return 0;
}

static int upgrade(struct end *end) {
  char id[64], role[8], key[128], protocol[128] = "";
  if (sscanf(end->rest, "GET /pair/%63[A-Za-z0-9_-]/%7[a-z] HTTP/1.1", id, role) != 2) return -1;
  int is_host = strcmp(role, "host") == 0;
  if (!is_host && strcmp(role, "page") != 0) return -1;
  if (!header(end->rest, "sec-websocket-key", key, sizeof key)) return -1;
  header(end->rest, "sec-websocket-protocol", protocol, sizeof protocol);
  char text[192];
  int length = snprintf(text, sizeof text, "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
  unsigned char digest[SHA_DIGEST_LENGTH], accept[64];
  SHA1((unsigned char *)text, (size_t)length, digest);
  EVP_EncodeBlock(accept, digest, sizeof digest);
  struct pair *pair = find_pair(id);
  if (pair->ends[is_host]) return -1;
  pair->ends[is_host] = end;
  end->pair = pair;
  end->is_open = 1;
  end->rest_bytes = 0;
  char answer[512];
  length = snprintf(answer, sizeof answer,
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n%s%s%s\r\n",
    accept, *protocol ? "Sec-WebSocket-Protocol: " : "", protocol, *protocol ? "\r\n" : "");
  if (put(end, answer, (size_t)length)) return -1;
  struct end *peer = pair->ends[!is_host];
  if (peer) {
    end->peer = peer;
    peer->peer = end;
  }
  return 0;
}

// Takes the masks off; the text of a frame may come in pieces.
static size_t unmask(struct end *end, const unsigned char *in, size_t count, unsigned char *out) {
  size_t made = 0;
  while (count > 0) {
    if (end->left > 0) {
      size_t piece = count < end->left ? count : end->left;
      unsigned char key[8];
      for (int index = 0; index < 8; index++) key[index] = end->mask[(end->at + (unsigned)index) & 3];
      size_t index = 0;
      for (; index + 8 <= piece; index += 8)
        for (int byte = 0; byte < 8; byte++) out[made + index + (size_t)byte] = in[index + (size_t)byte] ^ key[byte];
      for (; index < piece; index++) out[made + index] = in[index] ^ key[index & 7];
      end->at += (unsigned)piece;
      end->left -= piece;
      made += piece;
      in += piece;
      count -= piece;
      continue;
    }
    end->head[end->head_bytes++] = *in++;
    count--;
    if (end->head_bytes < 2) continue;
    unsigned short_length = end->head[1] & 127;
    size_t extra = short_length == 127 ? 8 : short_length == 126 ? 2 : 0;
    if (end->head_bytes < 2 + extra + 4) continue;
    size_t length = short_length;
    if (extra) {
      length = 0;
      for (size_t index = 0; index < extra; index++) length = length << 8 | end->head[2 + index];
    }
    memcpy(end->mask, end->head + 2 + extra, 4);
    end->head[1] &= 127;
    memcpy(out + made, end->head, 2 + extra);
    made += 2 + extra;
    end->left = length;
    end->at = 0;
    end->head_bytes = 0;
  }
  return made;
}

static void receive(struct end *end) {
  static char bytes[CHUNK];
  static unsigned char plain[CHUNK + 16];
  ssize_t count = recv(end->fd, bytes, sizeof bytes, 0);
  if (count <= 0) {
    if (count == 0 || errno != EAGAIN) drop(end);
    return;
  }
  if (end->is_open) {
    // What comes before the peer does is lost: the load tool waits until both are there.
    size_t made = unmask(end, (unsigned char *)bytes, (size_t)count, plain);
    if (end->peer && made && put(end->peer, (char *)plain, made)) drop(end->peer);
    return;
  }
  if (!end->rest) end->rest = malloc(HEAD + 1);
  if (end->rest_bytes + (size_t)count > HEAD) {
    drop(end);
    return;
  }
  memcpy(end->rest + end->rest_bytes, bytes, (size_t)count);
  end->rest_bytes += (size_t)count;
  end->rest[end->rest_bytes] = 0;
  if (strstr(end->rest, "\r\n\r\n") && upgrade(end)) drop(end);
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct end *end = calloc(1, sizeof *end);
    end->fd = fd;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = end};
    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
  }
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4096)) {
    perror("byterelay");
    return 1;
  }
  getsockname(listener, (struct sockaddr *)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  poller = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  static struct epoll_event events[512];
  for (;;) {
    int count = epoll_wait(poller, events, 512, -1);
    for (int index = 0; index < count; index++) {
      struct end *end = events[index].data.ptr;
      if (!end) {
        accept_all(listener);
        continue;
      }
      if (end->fd >= 0 && events[index].events & EPOLLOUT) flush_rest(end);
      if (end->fd >= 0 && events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(end);
    }
  }
}
