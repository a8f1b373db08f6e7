import Glibc

/// Ends the process when nobody reads its standard output any more, also while there is nothing to write.
enum LostReader {
    /// Begins to look, where standard output is a pipe or a socket.
    static func endsProcess() {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
        var thread = pthread_t()
        // Without it the next line that is written ends the process.
        guard pthread_create(&thread, nil, { _ in LostReader.wait() }, nil) == 0 else { return }
        pthread_detach(thread)
    }

    private static func wait() -> UnsafeMutableRawPointer? {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while true {
            let count = poll(&output, 1, -1)
            if count > 0 { break }
            guard errno == EINTR else { return nil }
        }
        // As writing there would.
        kill(getpid(), SIGPIPE)
        return nil
    }
}
