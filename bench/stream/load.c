// Load generator for fan-out: many subscribers on epoll, so cheap that it is not what is measured.
//
// usage: load PORT CONNECTIONS PATH CONTROL_PORT ROUND HEADER... [-- FRAME...]
// Opens CONNECTIONS to PATH (a WebSocket where a header says "Upgrade: websocket", else a plain GET), sends each FRAME
// as a masked text frame, prints "ready", then counts the '^' of every event. Digits after it are the sender's monotonic
// clock in microseconds. After each ROUND * CONNECTIONS events one byte goes to CONTROL_PORT. The first STALL connections
// (environment) are opened but never read. On end of stdin prints totals as JSON.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SAMPLES = 1 << 21, DIGITS = 16 };
typedef struct {
  int fd, open, carry;
  char tail[DIGITS + 1];
} Conn;

static char buffer[1 << 18];
static uint32_t samples[MAX_SAMPLES];
static int sampled;
static uint64_t total, bytes, lost;

static uint64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000u + t.tv_nsec / 1000;
}

static int dial(int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0) {
    perror("connect");
    exit(1);
  }
  return fd;
}

static void send_frame(int fd, const char *text) {
  unsigned char frame[4096];
  size_t length = strlen(text), at = 0;
  frame[at++] = 0x81;
  if (length < 126) frame[at++] = 0x80 | length;
  else {
    frame[at++] = 0x80 | 126;
    frame[at++] = length >> 8;
    frame[at++] = length & 255;
  }
  memset(frame + at, 0, 4);
  at += 4;
  memcpy(frame + at, text, length);
  if (write(fd, frame, at + length) < 0) perror("frame");
}

static void count(Conn *conn, char *data, size_t length, uint64_t now) {
  char *end = data + length, *at = data;
  bytes += length;
  while ((at = memchr(at, '^', end - at))) {
    at++;
    if ((total++ & 7) || sampled == MAX_SAMPLES || end - at < DIGITS) continue;
    uint64_t sent = 0;
    for (int i = 0; i < DIGITS && at[i] >= '0' && at[i] <= '9'; i++) sent = sent * 10 + (at[i] - '0');
    if (sent > 0 && sent <= now) samples[sampled++] = (uint32_t)(now - sent);
  }
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static double percentile(double p) { return sampled ? samples[(int)((sampled - 1) * p)] / 1000.0 : 0; }

int main(int argc, char **argv) {
  int port = atoi(argv[1]), wanted = atoi(argv[2]), control_port = atoi(argv[4]), stall = 0;
  uint64_t round = (uint64_t)atoi(argv[5]);
  if (getenv("STALL")) stall = atoi(getenv("STALL"));
  char request[4096];
  int at = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n", argv[3]), first_frame = argc;
  for (int i = 6; i < argc; i++) {
    if (strcmp(argv[i], "--") == 0) {
      first_frame = i + 1;
      break;
    }
    at += snprintf(request + at, sizeof request - at, "%s\r\n", argv[i]);
  }
  at += snprintf(request + at, sizeof request - at, "\r\n");
  Conn *conns = calloc(wanted, sizeof *conns);
  uint64_t started = 0, last = 0, next;
  int poll = epoll_create1(0), small = 4096;
  for (int i = 0; i < wanted; i++) {
    conns[i].fd = dial(port);
    if (i < stall) setsockopt(conns[i].fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    if (write(conns[i].fd, request, at) != at) perror("request");
    // The answer's head first, so that frames come after the upgrade.
    size_t have = 0;
    while (!memmem(buffer, have, "\r\n\r\n", 4)) {
      ssize_t n = read(conns[i].fd, buffer + have, sizeof buffer - have);
      if (n <= 0) {
        fprintf(stderr, "connection %d refused: %.*s\n", i, (int)have, buffer);
        return 1;
      }
      have += n;
    }
    if (!memmem(buffer, 16, " 101 ", 5) && !memmem(buffer, 16, " 200 ", 5)) {
      fprintf(stderr, "refused: %.*s\n", (int)have, buffer);
      return 1;
    }
    // What came with the head is counted as well.
    char *rest = (char *)memmem(buffer, have, "\r\n\r\n", 4) + 4;
    if (i >= stall) count(&conns[i], rest, buffer + have - rest, now_us());
    if (total && !started) started = now_us();
    for (int f = first_frame; f < argc; f++) send_frame(conns[i].fd, argv[f]);
    fcntl(conns[i].fd, F_SETFL, O_NONBLOCK);
    if (i < stall) continue;
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
    epoll_ctl(poll, EPOLL_CTL_ADD, conns[i].fd, &event);
  }
  int control = dial(control_port);
  struct epoll_event input = {.events = EPOLLIN, .data.u32 = UINT32_MAX};
  epoll_ctl(poll, EPOLL_CTL_ADD, 0, &input);
  printf("ready\n");
  fflush(stdout);
  next = round * (wanted - stall);
  for (;;) {
    struct epoll_event events[256];
    int ready = epoll_wait(poll, events, 256, -1);
    uint64_t now = now_us();
    for (int i = 0; i < ready; i++) {
      uint32_t which = events[i].data.u32;
      if (which == UINT32_MAX) {
        ssize_t n = read(0, buffer, sizeof buffer);
        if (n > 0 && buffer[0] == 'r') total = bytes = sampled = started = 0, next = round * (wanted - stall);
        if (n > 0) continue;
        struct rusage use;
        getrusage(RUSAGE_SELF, &use);
        qsort(samples, sampled, sizeof *samples, by_size);
        printf("{\"events\":%lu,\"bytes\":%lu,\"seconds\":%.6f,\"closed\":%lu,\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f,\"cpuSeconds\":%.3f}\n",
               total, bytes, (last - started) / 1e6, lost, percentile(0.5), percentile(0.99), percentile(1),
               use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6);
        return 0;
      }
      Conn *conn = &conns[which];
      ssize_t n = read(conn->fd, buffer, sizeof buffer);
      if (n <= 0) {
        if (n < 0 && errno == EAGAIN) continue;
        lost++;
        close(conn->fd);
        continue;
      }
      if (!started) started = now;
      last = now;
      count(conn, buffer, n, now);
      while (round && total >= next) {
        next += round * (wanted - stall);
        if (write(control, "x", 1) < 0) perror("control");
      }
    }
  }
}
