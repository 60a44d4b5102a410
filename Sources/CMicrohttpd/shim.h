#pragma once
#include <microhttpd.h>
#include <stdint.h>

// What is variadic in microhttpd.h, and so not imported by Swift.

struct mhd_settings {
    int listening_socket;
    unsigned int threads;
    unsigned int connection_limit;
    unsigned int per_address_connection_limit; // 0: none
    unsigned int idle_seconds;
    size_t connection_memory;
    const char *certificate; // PEM; NULL: no TLS
    const char *private_key;
};

struct mhd_callbacks {
    void *context;
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback access;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
};

#ifdef __linux__
#define MHD_POLLING MHD_USE_EPOLL_INTERNAL_THREAD
#else
#define MHD_POLLING MHD_USE_POLL_INTERNAL_THREAD
#endif

/// Starts a daemon with a pool of polling threads whose connections can be suspended. NULL when it cannot start;
/// the listening socket is closed then.
static inline struct MHD_Daemon *mhd_start(const struct mhd_settings *settings, const struct mhd_callbacks *callbacks) {
    struct MHD_OptionItem options[13];
    unsigned int count = 0;
#define OPTION(name, number, pointer) \
    options[count++] = (struct MHD_OptionItem){name, (intptr_t)(number), (void *)(pointer)}
    OPTION(MHD_OPTION_LISTEN_SOCKET, settings->listening_socket, NULL);
    OPTION(MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit, NULL);
    OPTION(MHD_OPTION_PER_IP_CONNECTION_LIMIT, settings->per_address_connection_limit, NULL);
    OPTION(MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds, NULL);
    OPTION(MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory, NULL);
    OPTION(MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)callbacks->target, callbacks->context);
    OPTION(MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)callbacks->completed, callbacks->context);
    OPTION(MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)callbacks->connection, callbacks->context);
    if (settings->threads > 1) OPTION(MHD_OPTION_THREAD_POOL_SIZE, settings->threads, NULL);
    unsigned int flags = MHD_POLLING | MHD_ALLOW_SUSPEND_RESUME;
    if (settings->certificate != NULL) {
        flags |= MHD_USE_TLS;
        OPTION(MHD_OPTION_HTTPS_MEM_CERT, 0, settings->certificate);
        OPTION(MHD_OPTION_HTTPS_MEM_KEY, 0, settings->private_key);
        // The library's default still takes TLS 1.0.
        OPTION(MHD_OPTION_HTTPS_PRIORITIES, 0, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2");
    }
    OPTION(MHD_OPTION_END, 0, NULL);
#undef OPTION
    return MHD_start_daemon(flags, 0, NULL, NULL, callbacks->access, callbacks->context,
                            MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

/// The peer's address; NULL when unknown.
static inline const struct sockaddr *mhd_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

/// The connection's socket, owned by the daemon; -1 when unknown.
static inline int mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}
