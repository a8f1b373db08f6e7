import Glibc

/// The three descriptors that every process begins with.
package enum StandardStreams {
    /// Opens those that the parent closed, on `/dev/null`.
    ///
    /// Otherwise the next file that is opened would get such a number, and messages would be written into it.
    package static func hold() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // Writes to standard output fail as they did before; writes to standard error are discarded.
            _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
