#ifndef STORYKEEP_CUV_SHIM_H
#define STORYKEEP_CUV_SHIM_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <uv.h>

// Declared only under _GNU_SOURCE, which Swift's view of the C library does not define.
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);

// Creates a Unix stream socket that does not block and is closed on exec; returns -1 with errno on failure.
static inline int storykeep_socket(void) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

// Accepts a connection that does not block and is closed on exec; returns -1 with errno on failure.
static inline int storykeep_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// Gives a file an access control list, as the kernel encodes it; returns 0, or -1 with errno.
static inline int storykeep_set_acl(const char *path, const void *list, size_t count) {
    return setxattr(path, "system.posix_acl_access", list, count, 0);
}

// The result of SO_PEERCRED: the layout of the kernel's `struct ucred`.
struct storykeep_peer {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

// Gets the credentials of a connection's peer; returns 0, or -1 with errno.
static inline int storykeep_peer_of(int descriptor, struct storykeep_peer *peer) {
    socklen_t length = sizeof *peer;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, peer, &length);
}

// Gets the supplementary groups of a connection's peer (SO_PEERGROUPS, which older headers lack).
// Returns their number; -1 with errno, which is ERANGE if there are more than fit.
static inline int storykeep_peer_groups(int descriptor, uint32_t *groups, int most) {
    socklen_t length = (socklen_t)most * sizeof *groups;
    if (getsockopt(descriptor, SOL_SOCKET, 59, groups, &length) != 0) return -1;
    return (int)(length / sizeof *groups);
}

// Creates a timerfd that does not block and is closed on exec; returns -1 with errno on failure.
static inline int storykeep_alarm(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC); }

// Makes a timerfd readable once, the given number of nanoseconds from now.
static inline void storykeep_set_alarm(int descriptor, uint64_t nanoseconds) {
    struct itimerspec time = {{0, 0}, {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)}};
    timerfd_settime(descriptor, 0, &time, NULL);
}

#endif
