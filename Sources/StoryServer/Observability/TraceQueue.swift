import Glibc
package import StoryCore
package import StoryStorage
import Synchronization

/// A bounded queue of trace lines in front of a file that may block; a thread writes them and ends when there are none.
///
/// Lines beyond the limit are dropped, and a line `trace-dropped lines=N` reports their number.
package final class TraceQueue: Sendable {
    /// The lines that wait, and the writer.
    private struct Waiting {
        var bytes: [UInt8] = []
        var dropped = 0
        /// True from the start of a writer until it finds no more lines.
        var hasWriter = false
    }

    private let waiting = Mutex(Waiting())
    private let limit: Int
    private let now: @Sendable () -> Instant
    private let background: BackgroundStarter
    private let write: @Sendable ([UInt8]) -> Void

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - limit: the bytes that may wait, in addition to those that are being written.
    ///   - write: writes bytes, and may block.
    package init(
        limit: Int = 262_144, now: @escaping @Sendable () -> Instant,
        on background: BackgroundStarter = .threads, write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.limit = limit
        self.now = now
        self.background = background
        self.write = write
    }

    /// Makes a queue in front of a file descriptor.
    package convenience init(descriptor: Int32, now: @escaping @Sendable () -> Instant) {
        self.init(now: now) { BlockingOutput.write($0, to: descriptor) }
    }

    /// Adds a line, or drops it where too many bytes wait; never blocks.
    package func add(_ line: [UInt8]) {
        waiting.withLock { waiting in
            if waiting.bytes.count + line.count <= limit { waiting.bytes += line } else { waiting.dropped += 1 }
        }
        startWriter()
    }

    /// Starts a writer where lines wait without one, for example because the system had no thread for it.
    package func startWriter() {
        let mustStart = waiting.withLock { waiting in
            guard !waiting.hasWriter, !waiting.bytes.isEmpty || waiting.dropped > 0 else { return false }
            waiting.hasWriter = true
            return true
        }
        guard mustStart else { return }
        if !background.start({ [self] in writeAll() }) { waiting.withLock { $0.hasWriter = false } }
    }

    /// Waits until everything is written, for up to a second, so that a stuck reader cannot delay the end.
    package func flush() {
        for _ in 0..<1_000 {
            startWriter()
            let isDone = waiting.withLock { $0.bytes.isEmpty && !$0.hasWriter }
            if isDone { return }
            usleep(1_000)
        }
    }

    private func writeAll() {
        while let bytes = take() { write(bytes) }
    }

    /// Takes all waiting bytes; returns nil where there are none, which ends the writer.
    private func take() -> [UInt8]? {
        waiting.withLock { waiting in
            if waiting.dropped > 0 {
                waiting.bytes += Trace.line(now(), "trace-dropped", [("lines", "\(waiting.dropped)")])
                waiting.dropped = 0
            }
            guard !waiting.bytes.isEmpty else {
                waiting.hasWriter = false
                return nil
            }
            defer { waiting.bytes = [] }
            return waiting.bytes
        }
    }
}

/// Blocking writes to a file descriptor.
package enum BlockingOutput {
    /// Writes all bytes; gives up where the descriptor never takes any again, such as a pipe without a reader.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waited, 1, -1)
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }
}
