import Glibc

/// What waits to be written to one connection, oldest first.
struct OutputQueue {
    /// Arrays below this are gathered, so that many small ones cost one system call.
    private static let gathered = 65_536

    private var arrays: [[UInt8]] = []
    /// The first array that has unsent bytes, and how many of its bytes are sent.
    private var head = 0
    private var sent = 0
    /// How many bytes wait.
    private(set) var count = 0

    /// What a write came to.
    enum Progress: Equatable {
        /// Everything is with the kernel.
        case drained
        /// The kernel takes no more now.
        case blocked
        /// Nothing can be written any more.
        case failed
    }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: [UInt8]) {
        count += bytes.count
        if let last = arrays.indices.last, last >= head, arrays[last].count + bytes.count <= OutputQueue.gathered {
            arrays[last].append(contentsOf: bytes)
        } else {
            // A copy has just that size; the whole may have room to grow, which a slow peer would hold for long.
            arrays.append(
                Array(unsafeUninitializedCapacity: bytes.count) { copy, count in
                    count = copy.initialize(fromContentsOf: bytes)
                })
        }
    }

    /// Sends at once what the kernel takes of bytes that nothing waits before, and keeps the rest.
    mutating func sendFirst(_ bytes: [UInt8], to descriptor: Int32) -> Progress {
        let written = OutputQueue.write(bytes, from: 0, to: descriptor)
        guard written >= 0 else { return .failed }
        guard written < bytes.count else { return .drained }
        // A copy of what is left has just that size; the whole has room to grow, which a slow peer would hold for long.
        arrays.append(Array(bytes[written...]))
        count = bytes.count - written
        return .blocked
    }

    /// Sends what waits until it is gone or the kernel takes no more.
    mutating func flush(to descriptor: Int32) -> Progress {
        while head < arrays.count {
            let written = OutputQueue.write(arrays[head], from: sent, to: descriptor)
            guard written >= 0 else { return .failed }
            count -= written
            sent += written
            guard sent == arrays[head].count else { return .blocked }
            arrays[head] = []
            head += 1
            sent = 0
        }
        removeAll()
        return .drained
    }

    mutating func removeAll() {
        arrays.removeAll(keepingCapacity: arrays.capacity <= 64)
        head = 0
        sent = 0
        count = 0
    }

    /// How many bytes the kernel took, 0 when it takes none now, −1 when it never will again.
    private static func write(_ bytes: [UInt8], from start: Int, to descriptor: Int32) -> Int {
        bytes.withUnsafeBytes { buffer in
            while true {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[start...])
                let written = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                if written >= 0 { return written }
                if errno == EAGAIN { return 0 }
                if errno != EINTR { return -1 }
            }
        }
    }
}
