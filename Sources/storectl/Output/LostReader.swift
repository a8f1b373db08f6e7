import Glibc

/// The end of a process whose standard output has lost its reader.
enum LostReader {
    /// Watches the reader, so that the process ends even while there is nothing to write.
    static func endsProcess() {
        var thread = pthread_t()
        // Without the thread, the next write ends the process.
        guard pthread_create(&thread, nil, { _ in LostReader.wait() }, nil) == 0 else { return }
        pthread_detach(thread)
    }

    /// Ends the process as SIGPIPE does, even when the signal is ignored, as in services.
    static func end() -> Never {
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGPIPE)
        _exit(128 + SIGPIPE)
    }

    private static func wait() -> UnsafeMutableRawPointer? {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&output, 1, -1) < 1 {
            guard errno == EINTR else { return nil }
        }
        // A descriptor that is not open never had a reader: the first write reports it.
        if output.revents & Int16(POLLNVAL) == 0 { end() }
        return nil
    }
}
