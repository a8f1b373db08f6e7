#pragma once

#include <stdint.h>
#include <sys/types.h>
#include <microhttpd.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// The functions that a server of HTTP calls, on the thread of the connection, and the limits that it keeps.
struct cmh_server {
    /// The first argument of each function.
    void *context;
    /// Begins a request with the target of its request line as it was sent; the result is the request's own pointer.
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
    /// Handles a request: once after its headers, then for each part of its body, then at its end.
    MHD_AccessHandlerCallback handle;
    /// Ends a request that was begun.
    MHD_RequestCompletedCallback end;
    /// Reports a connection that was opened or closed.
    MHD_NotifyConnectionCallback notify;
    /// The greatest number of connections.
    unsigned connections;
    /// The bytes of the request line and headers of a request.
    size_t header_bytes;
    /// The bytes of the stack of a connection's thread.
    size_t stack_bytes;
};

/// Serves a socket that listens, each connection by a thread of its own; null where the system refuses that.
///
/// The socket is the server's from then on. The limits of time are the caller's: no connection ends by itself.
struct MHD_Daemon *cmh_start(int listening_socket, const struct cmh_server *server);

/// Returns the descriptor of a connection's socket.
int cmh_socket(struct MHD_Connection *connection);

#if defined(__cplusplus)
}
#endif
