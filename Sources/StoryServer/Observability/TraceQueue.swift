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
        /// The number of writes that have begun, and that number a second ago.
        var (writes, writesBefore) = (0, 0)
        /// The seconds for which lines wait, or one write goes on.
        var stillSeconds = 0
    }

    private let waiting = Mutex(Waiting())
    private let limit: Int
    private let now: @Sendable () -> Instant
    private let background: BackgroundStarter
    private let write: @Sendable ([UInt8]) -> Void
    /// Writes bytes as far as that is possible without waiting, and returns their number.
    private let writeReady: @Sendable (ArraySlice<UInt8>) -> Int
    /// The seconds after which lines that wait are a condition.
    private static let mostSeconds = 5

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - limit: the bytes that may wait, in addition to those that are being written.
    ///   - writeReady: writes bytes as far as that is possible without waiting, and returns their number: where the system
    ///     has no thread for the writer.
    ///   - write: writes bytes, and may block.
    package init(
        limit: Int = 262_144, now: @escaping @Sendable () -> Instant,
        on background: BackgroundStarter = .threads,
        writeReady: @escaping @Sendable (ArraySlice<UInt8>) -> Int = { _ in 0 },
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.limit = limit
        self.now = now
        self.background = background
        (self.write, self.writeReady) = (write, writeReady)
    }

    /// Makes a queue in front of a file descriptor.
    package convenience init(descriptor: Int32, now: @escaping @Sendable () -> Instant) {
        self.init(now: now, writeReady: { BlockingOutput.writeReady($0, to: descriptor) }) {
            BlockingOutput.write($0, to: descriptor)
        }
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
        guard !background.start({ [self] in writeAll() }) else { return }
        waiting.withLock { waiting in
            waiting.hasWriter = false
            let count = writeReady(waiting.bytes[...])
            guard count > 0 else { return }
            waiting.bytes.removeFirst(count)
            waiting.writes += 1
        }
    }

    /// True while lines have waited for seconds.
    var isStuck: Bool { waiting.withLock { $0.stillSeconds >= TraceQueue.mostSeconds } }

    /// Notes whether lines wait that waited a second ago, and starts a writer for them.
    func secondPassed() {
        waiting.withLock { waiting in
            let isIdle = waiting.bytes.isEmpty && waiting.dropped == 0 && !waiting.hasWriter
            waiting.stillSeconds = isIdle || waiting.writes != waiting.writesBefore ? 0 : waiting.stillSeconds + 1
            waiting.writesBefore = waiting.writes
        }
        startWriter()
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
            waiting.writes += 1
            return waiting.bytes
        }
    }
}

/// Blocking writes to a file descriptor.
package enum BlockingOutput {
    /// The bytes that a pipe takes at once where it takes any.
    private static let pipeCount = 4_096

    /// Writes the first bytes where the descriptor takes them without waiting; returns their number.
    static func writeReady(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waited, 1, 0) == 1, waited.revents & Int16(POLLOUT) != 0 else { return 0 }
        let count = bytes.prefix(pipeCount).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        return max(0, count)
    }

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
