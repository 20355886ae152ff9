// Load generator for fan-out: many subscribers on epoll, so cheap that it is not what is measured.
//
// usage: load PORT CONNECTIONS STALLED PATH CONTROL_PORT HEADER... [-- FRAME...]
// Opens CONNECTIONS to PATH (a WebSocket where a header says "Upgrade: websocket", else a plain GET) and sends each FRAME
// as a masked message: text, or bytes where it is "hex:…". Prints "ready", then counts the '^' of every event, and answers
// pings. Digits after a '^' are the sender's monotonic clock in microseconds. The first STALLED connections are opened but
// never read. Lines on stdin: "r ROUND" forgets what was counted, and from then on one byte goes to CONTROL_PORT after each
// ROUND * CONNECTIONS events; "s" prints the totals as a line of JSON. Ends with stdin.
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

enum { MAX_SAMPLES = 1 << 21, DIGITS = 16, EVENTS = 256, TOGETHER = 64, STDIN = -1 };

static char buffer[1 << 18];
static uint32_t samples[MAX_SAMPLES];
static int sampled;
static uint64_t total, bytes, closed_by_server, first_at, last_at;
static double cpu_before;

static uint64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000u + t.tv_nsec / 1000;
}

static double cpu_seconds(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
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
  unsigned char frame[4096], body[2048];
  size_t length = strlen(text), at = 0;
  int binary = strncmp(text, "hex:", 4) == 0;
  if (binary) {
    length = (length - 4) / 2;
    for (size_t i = 0; i < length; i++) sscanf(text + 4 + 2 * i, "%2hhx", &body[i]);
  } else memcpy(body, text, length);
  frame[at++] = binary ? 0x82 : 0x81;
  if (length < 126) frame[at++] = 0x80 | length;
  else {
    frame[at++] = 0x80 | 126;
    frame[at++] = length >> 8;
    frame[at++] = length & 255;
  }
  memset(frame + at, 0, 4);
  at += 4;
  memcpy(frame + at, body, length);
  if (write(fd, frame, at + length) < 0) perror("frame");
}

static void count(const char *data, size_t length, uint64_t now) {
  const char *end = data + length, *at = data;
  bytes += length;
  while ((at = memchr(at, '^', end - at))) {
    at++;
    if ((total++ & 7) || sampled == MAX_SAMPLES || end - at < DIGITS) continue;
    uint64_t sent = 0;
    for (int i = 0; i < DIGITS && at[i] >= '0' && at[i] <= '9'; i++) sent = sent * 10 + (at[i] - '0');
    if (sent > 0 && sent <= now) samples[sampled++] = (uint32_t)(now - sent);
  }
  if (!total) return;
  if (!first_at) first_at = now;
  last_at = now;
}

// Answers the pings among what came; one that is cut is answered too, as a pong too many does no harm.
static void answer_pings(int fd, const char *data, size_t length) {
  static const unsigned char pong[] = {0x8a, 0x80, 0, 0, 0, 0};
  const char *end = data + length, *at = data;
  while ((at = memchr(at, 0x89, end - at)) && at++)
    if ((at == end || *at == 0) && write(fd, pong, sizeof pong) < 0) perror("pong");
}

// Opens a connection and sends the request.
static int ask(int port, const char *request, size_t length, int small_buffer) {
  int fd = dial(port), small = 4096;
  if (small_buffer) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  if (write(fd, request, length) != (ssize_t)length) perror("request");
  return fd;
}

// Reads the answer's head, so that frames come after the upgrade. Answers 0 where the server asks to come back later, as
// it does when one key connects thousands of times a second.
static int enter(int fd, int silent) {
  size_t have = 0;
  while (!memmem(buffer, have, "\r\n\r\n", 4)) {
    ssize_t n = read(fd, buffer + have, sizeof buffer - have);
    if (n <= 0) break;
    have += n;
  }
  if (have >= 16 && memmem(buffer, 16, " 429 ", 5)) return 0;
  if (have < 16 || (!memmem(buffer, 16, " 101 ", 5) && !memmem(buffer, 16, " 200 ", 5))) {
    fprintf(stderr, "refused: %.*s\n", (int)have, buffer);
    exit(1);
  }
  // What came with the head is counted as well.
  char *rest = (char *)memmem(buffer, have, "\r\n\r\n", 4) + 4;
  if (!silent) count(rest, buffer + have - rest, now_us());
  return 1;
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static double percentile(double p) { return sampled ? samples[(int)((sampled - 1) * p)] / 1000.0 : 0; }

static void report(void) {
  double cpu = cpu_seconds() - cpu_before;
  qsort(samples, sampled, sizeof *samples, by_size);
  printf("{\"events\":%lu,\"bytes\":%lu,\"seconds\":%.6f,\"closed\":%lu,\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f,"
         "\"cpuSeconds\":%.3f}\n",
         total, bytes, (last_at - first_at) / 1e6, closed_by_server, percentile(0.5), percentile(0.99), percentile(1), cpu);
  fflush(stdout);
}

int main(int argc, char **argv) {
  int port = atoi(argv[1]), wanted = atoi(argv[2]), stalled = atoi(argv[3]), control_port = atoi(argv[5]);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  char request[8192];
  int web_socket = 0;
  int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n", argv[4]), first_frame = argc;
  for (int i = 6; i < argc; i++) {
    if (strcmp(argv[i], "--") == 0) {
      first_frame = i + 1;
      break;
    }
    if (strcasecmp(argv[i], "Upgrade: websocket") == 0) web_socket = 1;
    length += snprintf(request + length, sizeof request - length, "%s\r\n", argv[i]);
  }
  length += snprintf(request + length, sizeof request - length, "\r\n");
  int poll = epoll_create1(0);
  for (int i = 0; i < wanted; i += TOGETHER) {
    int fds[TOGETHER], some = wanted - i < TOGETHER ? wanted - i : TOGETHER;
    for (int j = 0; j < some; j++) fds[j] = ask(port, request, length, i + j < stalled);
    for (int j = 0; j < some; j++) {
      int silent = i + j < stalled;
      while (!enter(fds[j], silent)) {
        close(fds[j]);
        usleep(100 * 1000);
        fds[j] = ask(port, request, length, silent);
      }
      for (int f = first_frame; f < argc; f++) send_frame(fds[j], argv[f]);
      fcntl(fds[j], F_SETFL, O_NONBLOCK);
      if (silent) continue;
      struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[j]};
      epoll_ctl(poll, EPOLL_CTL_ADD, fds[j], &event);
    }
  }
  int control = dial(control_port);
  struct epoll_event input = {.events = EPOLLIN, .data.fd = STDIN};
  epoll_ctl(poll, EPOLL_CTL_ADD, 0, &input);
  printf("ready\n");
  fflush(stdout);
  uint64_t round = 0, next = UINT64_MAX;
  for (;;) {
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(poll, events, EVENTS, -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.fd == STDIN) {
        char line[64];
        ssize_t n = read(0, line, sizeof line - 1);
        if (n <= 0) return 0;
        line[n] = 0;
        if (line[0] == 's') report();
        if (line[0] != 'r') continue;
        total = bytes = sampled = first_at = 0;
        cpu_before = cpu_seconds();
        round = strtoull(line + 1, NULL, 10) * (wanted - stalled);
        next = round ? round : UINT64_MAX;
        continue;
      }
      ssize_t n = read(events[i].data.fd, buffer, sizeof buffer);
      if (n <= 0) {
        if (n < 0 && errno == EAGAIN) continue;
        closed_by_server++;
        close(events[i].data.fd);
        continue;
      }
      count(buffer, n, now_us());
      if (web_socket) answer_pings(events[i].data.fd, buffer, n);
      while (total >= next) {
        next += round;
        if (write(control, "x", 1) < 0) perror("control");
      }
    }
  }
}
