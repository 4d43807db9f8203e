/* For UDP: announces from the file that crowd.py wrote, each time round with counts that have grown.
 *
 *     udp_load PORT FILE WIDTH FIRST SECONDS
 *
 * WIDTH is the length of one datagram, FIRST how many were sent before; 0 SECONDS sends all of them once.
 * Four sockets, each with 64 on their way; what is not answered within half a second (five, where all are to
 * arrive) is given up. Each asks for a new connection id once a minute, as BEP 15 wants.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define SOCKETS 4
#define WINDOW 64
#define LONGEST 2048
#define ID_SECONDS 60

static struct { int fd, away; uint64_t connection; double heard, greeted; } ends[SOCKETS];
static const unsigned char greeting[16] = {0, 0, 4, 0x17, 0x27, 0x10, 0x19, 0x80};
static const unsigned char *file;
static size_t width, count;
static double patience = 0.5;
static uint64_t next, stop_at = UINT64_MAX, sent, answered, refused, lost;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static uint64_t number_at(const unsigned char *place) {
    uint64_t raw;
    memcpy(&raw, place, 8);
    return be64toh(raw);
}

static void put(unsigned char *place, uint64_t number) {
    number = htobe64(number);
    memcpy(place, &number, 8);
}

static void greet(int each, int port) {
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    unsigned char answer[16];
    int room = 4 << 20;
    ends[each].fd = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(ends[each].fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    connect(ends[each].fd, (void *)&there, sizeof there);
    send(ends[each].fd, greeting, sizeof greeting, 0);
    struct pollfd wait = {.fd = ends[each].fd, .events = POLLIN};
    if (poll(&wait, 1, 5000) != 1 || recv(ends[each].fd, answer, sizeof answer, 0) != 16) {
        fprintf(stderr, "udp_load: nobody answers on port %d\n", port);
        exit(1);
    }
    ends[each].connection = number_at(answer + 8);
    ends[each].heard = ends[each].greeted = now();
}

static void ask(int each) {
    static unsigned char packets[WINDOW][LONGEST];
    static struct iovec parts[WINDOW];
    static struct mmsghdr messages[WINDOW];
    int many = 0;
    if (now() - ends[each].greeted > ID_SECONDS) {
        ends[each].greeted = now();
        send(ends[each].fd, greeting, sizeof greeting, 0);
    }
    for (; many < WINDOW - ends[each].away && next < stop_at; many++, next++) {
        unsigned char *packet = packets[many];
        uint64_t lap = next / count + 1;
        memcpy(packet, file + next % count * width, width);
        put(packet, ends[each].connection);
        put(packet + 56, number_at(packet + 56) * lap);
        put(packet + 72, number_at(packet + 72) * lap);
        parts[many] = (struct iovec){packet, width};
        messages[many].msg_hdr = (struct msghdr){.msg_iov = &parts[many], .msg_iovlen = 1};
    }
    if (!many) return;
    int went = sendmmsg(ends[each].fd, messages, many, 0);
    if (went < 0) went = 0;
    next -= many - went;
    sent += went;
    ends[each].away += went;
}

static void hear(int each) {
    static unsigned char packets[WINDOW][LONGEST];
    static struct iovec parts[WINDOW];
    static struct mmsghdr messages[WINDOW];
    for (int place = 0; place < WINDOW; place++) {
        parts[place] = (struct iovec){packets[place], LONGEST};
        messages[place].msg_hdr = (struct msghdr){.msg_iov = &parts[place], .msg_iovlen = 1};
    }
    int many = recvmmsg(ends[each].fd, messages, WINDOW, MSG_DONTWAIT, NULL);
    for (int place = 0; place < many; place++) {
        if (packets[place][3] == 0) {
            ends[each].connection = number_at(packets[place] + 8);
            ends[each].away++;
        } else if (packets[place][3] == 1) {
            answered++;
        } else {
            if (!refused++) fprintf(stderr, "udp_load: refused: %s\n", packets[place] + 8);
        }
    }
    if (many > 0) {
        ends[each].heard = now();
        ends[each].away = ends[each].away > many ? ends[each].away - many : 0;
    } else if (ends[each].away && now() - ends[each].heard > patience) {
        lost += ends[each].away;
        ends[each].away = 0;
        ends[each].heard = now();
    }
}

int main(int given_count, char **given) {
    if (given_count != 6) return fprintf(stderr, "usage: udp_load PORT FILE WIDTH FIRST SECONDS\n"), 2;
    struct stat found;
    int opened = open(given[2], O_RDONLY);
    if (opened < 0 || fstat(opened, &found)) return perror(given[2]), 1;
    width = atoi(given[3]);
    count = found.st_size / width;
    file = mmap(NULL, found.st_size, PROT_READ, MAP_PRIVATE, opened, 0);
    next = atoll(given[4]);
    double seconds = atof(given[5]);
    if (seconds == 0) stop_at = next + count, patience = 5;
    for (int each = 0; each < SOCKETS; each++) greet(each, atoi(given[1]));
    double begun = now();
    for (int busy = 1; busy;) {
        struct pollfd wait[SOCKETS];
        if (seconds > 0 && now() - begun > seconds) stop_at = 0;
        busy = next < stop_at;
        for (int each = 0; each < SOCKETS; each++) {
            ask(each);
            wait[each] = (struct pollfd){.fd = ends[each].fd, .events = POLLIN};
            busy |= ends[each].away > 0;
        }
        if (poll(wait, SOCKETS, 100) >= 0)
            for (int each = 0; each < SOCKETS; each++) hear(each);
    }
    printf("{\"requests\": %lu, \"sent\": %lu, \"refused\": %lu, \"lost\": %lu, \"seconds\": %.6f}\n",
           answered, sent, refused, lost, now() - begun);
}
