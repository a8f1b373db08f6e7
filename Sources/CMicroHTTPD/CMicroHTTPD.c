#include "CMicroHTTPD.h"

// Functions with any number of arguments cannot be called from Swift.

struct MHD_Daemon *cmh_start(int listening_socket, const struct cmh_server *server) {
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ITC;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, server->handle, server->context,
        MHD_OPTION_LISTEN_SOCKET, listening_socket,
        MHD_OPTION_URI_LOG_CALLBACK, server->begin, server->context,
        MHD_OPTION_NOTIFY_COMPLETED, server->end, server->context,
        MHD_OPTION_NOTIFY_CONNECTION, server->notify, server->context,
        MHD_OPTION_CONNECTION_LIMIT, server->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, 0u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, server->header_bytes,
        MHD_OPTION_THREAD_STACK_SIZE, server->stack_bytes,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_END);
}

int cmh_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}
