import Glibc

/// The three descriptors that every process begins with.
package enum StandardStreams {
    /// Opens those that the parent closed, on nothing: the next file that is opened would have such a number, and what is
    /// said would be written into it.
    package static func hold() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // Writing to standard output fails as it did before. Nobody is told what goes wrong with standard error.
            _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
