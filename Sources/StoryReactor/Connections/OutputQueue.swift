import Glibc

/// The queue of bytes to write to one connection, oldest first.
struct OutputQueue {
    /// The largest size of a gathered array in bytes; small arrays are gathered, so that many of them cost one system
    /// call.
    private static let gathered = 65_536

    private var arrays: [[UInt8]] = []
    /// The index of the first array with unsent bytes, and the number of its bytes that are sent.
    private var head = 0
    private var sent = 0
    /// The number of unsent bytes.
    private(set) var count = 0

    /// The result of a write.
    enum Progress: Equatable {
        /// The kernel has taken everything.
        case drained
        /// The kernel takes no more now.
        case blocked
        /// Nothing can be written any more.
        case failed
    }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        if let last = arrays.indices.last, last >= head, arrays[last].count + bytes.count <= OutputQueue.gathered {
            arrays[last].append(contentsOf: bytes)
        } else {
            arrays.append([UInt8](bytes))
        }
    }

    /// Sends bytes at once, and queues those that the kernel does not take; the queue must be empty.
    mutating func sendFirst(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Progress {
        let written = OutputQueue.write(bytes, to: descriptor)
        guard written >= 0 else { return .failed }
        guard written < bytes.count else { return .drained }
        arrays.append([UInt8](bytes[written...]))
        count = bytes.count - written
        return .blocked
    }

    /// Sends the queued bytes until none are left or the kernel takes no more.
    mutating func flush(to descriptor: Int32) -> Progress {
        while head < arrays.count {
            let written = arrays[head].withUnsafeBytes { bytes in
                OutputQueue.write(UnsafeRawBufferPointer(rebasing: bytes[sent...]), to: descriptor)
            }
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

    /// Returns the number of bytes that the kernel took; 0 if it takes none now, −1 if the connection is broken.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        while true {
            let written = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if written >= 0 { return written }
            if errno == EAGAIN { return 0 }
            if errno != EINTR { return -1 }
        }
    }
}
