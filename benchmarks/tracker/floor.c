/* The floor: answers every HTTP request with the same peers, as fast as one thread can. It parses nothing. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define PEERS 50

static char kept[1024], closed[1024];
static int kept_length, closed_length;

static int answer_with(char *into, const char *header) {
    char peers[6 * PEERS];
    memset(peers, 7, sizeof peers);
    int body = snprintf(NULL, 0, "d8:completei30e10:incompletei30e8:intervali1800e5:peers%d:", 6 * PEERS);
    int at = sprintf(into, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n%s\r\n",
                     body + 6 * PEERS + 1, header);
    at += sprintf(into + at, "d8:completei30e10:incompletei30e8:intervali1800e5:peers%d:", 6 * PEERS);
    memcpy(into + at, peers, sizeof peers);
    into[at + 6 * PEERS] = 'e';
    return at + 6 * PEERS + 1;
}

/* Whether the connection stays; the requests of our load come whole. */
static int serve(int client) {
    char request[4096];
    ssize_t length = recv(client, request, sizeof request - 1, 0);
    if (length < 0 && errno == EAGAIN) return 1;
    if (length <= 0) return 0;
    request[length] = 0;
    if (strstr(request, "Connection: close")) {
        send(client, closed, closed_length, MSG_NOSIGNAL);
        return 0;
    }
    return send(client, kept, kept_length, MSG_NOSIGNAL) == kept_length;
}

int main(int count, char **given) {
    if (count != 2) return fprintf(stderr, "usage: floor PORT\n"), 2;
    kept_length = answer_with(kept, "");
    closed_length = answer_with(closed, "Connection: close\r\n");
    int one = 1, seconds = 5, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(atoi(given[1])),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    setsockopt(listener, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds);
    if (bind(listener, (void *)&here, sizeof here) || listen(listener, 4096)) return perror("floor"), 1;
    int poll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, ready[64];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int many = epoll_wait(poll, ready, 64, -1);
        for (int each = 0; each < many; each++) {
            int client = ready[each].data.fd;
            if (client != listener) {
                if (!serve(client)) close(client);
                continue;
            }
            while ((client = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                if (!serve(client)) {
                    close(client);
                    continue;
                }
                struct epoll_event more = {.events = EPOLLIN, .data.fd = client};
                epoll_ctl(poll, EPOLL_CTL_ADD, client, &more);
            }
        }
    }
}
