import Glibc
import TestSupport

/// One call as the recorder wrote it down: `recorder/include/recorder.h`.
struct RecordedCall {
    /// What was called.
    enum Kind: UInt32 {
        case begins, opens, closes, writes, truncates, allocates, syncs, renames, unlinks, makes, removes, accepts
        case sends, strange
    }

    let kind: Kind
    /// The clock before the call.
    let begin: UInt64
    /// The clock after it; nil where the process was killed meanwhile.
    let end: UInt64?
    let result: Int
    let at: Int
    let process: Int32
    let fd: Int32
    let flags: Int32
    let path: String
    let other: String
    let bytes: [UInt8]

    /// True for what has an effect although nobody saw its end, and for what succeeded.
    var hasEffect: Bool { end == nil || result >= 0 }
}

/// The file that recorded processes write their calls to.
struct RecordFile {
    private static let size = 2 << 30
    private static let first = 4_096
    private static let headSize = 72

    let path: String

    /// Makes an empty one; it takes memory as it is written to.
    static func make(_ path: String) throws -> RecordFile {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0, ftruncate(descriptor, off_t(size)) == 0 else {
            throw SystemRefused(call: "making \(path)", code: errno)
        }
        defer { Glibc.close(descriptor) }
        let head: [UInt64] = [0, UInt64(first), UInt64(size)]
        guard head.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, $0.count, 0) }) == 24 else {
            throw SystemRefused(call: "writing \(path)", code: errno)
        }
        return RecordFile(path: path)
    }

    /// Cuts it down to what is in it, once nobody records any more.
    func close() throws {
        let end = try head().end
        guard truncate(path, off_t(end)) == 0 else { throw SystemRefused(call: "truncate", code: errno) }
    }

    /// All calls, in the order in which they began.
    func calls() throws -> [RecordedCall] {
        let end = try head().end
        let descriptor = open(path, O_RDONLY)
        defer { Glibc.close(descriptor) }
        guard let map = mmap(nil, end, PROT_READ, MAP_SHARED, descriptor, 0), map != MAP_FAILED else {
            throw SystemRefused(call: "mmap of \(path)", code: errno)
        }
        defer { munmap(map, end) }
        let bytes = UnsafeRawBufferPointer(start: map, count: end)
        var calls: [RecordedCall] = []
        var at = RecordFile.first
        while at < end {
            let size = Int(bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
            // A process was killed between taking the room and saying how much it is.
            guard size > 0 else { break }
            if let call = RecordFile.call(UnsafeRawBufferPointer(rebasing: bytes[at..<at + size])) {
                calls.append(call)
            }
            at += size
        }
        return calls.sorted { $0.begin < $1.begin }
    }

    private func head() throws -> (clock: UInt64, end: Int) {
        let descriptor = open(path, O_RDONLY)
        defer { Glibc.close(descriptor) }
        var head: [UInt64] = [0, 0]
        guard head.withUnsafeMutableBytes({ pread(descriptor, $0.baseAddress, $0.count, 0) }) == 16 else {
            throw SystemRefused(call: "reading \(path)", code: errno)
        }
        return (head[0], Int(head[1]))
    }

    /// Nil where a process was killed before the call was begun.
    private static func call(_ bytes: UnsafeRawBufferPointer) -> RecordedCall? {
        func number<Number: FixedWidthInteger & BitwiseCopyable>(_ at: Int, _: Number.Type) -> Number {
            bytes.loadUnaligned(fromByteOffset: at, as: Number.self)
        }
        let begin = number(8, UInt64.self)
        let end = number(16, UInt64.self)
        guard begin > 0, let kind = RecordedCall.Kind(rawValue: number(4, UInt32.self)) else { return nil }
        let pathEnd = headSize + Int(number(56, UInt32.self))
        let otherEnd = pathEnd + Int(number(60, UInt32.self))
        let bytesEnd = otherEnd + Int(number(64, UInt64.self))
        return RecordedCall(
            kind: kind, begin: begin, end: end == 0 ? nil : end, result: Int(number(24, Int64.self)),
            at: Int(number(32, Int64.self)), process: number(44, Int32.self), fd: number(48, Int32.self),
            flags: number(52, Int32.self), path: String(decoding: bytes[headSize..<pathEnd], as: UTF8.self),
            other: String(decoding: bytes[pathEnd..<otherEnd], as: UTF8.self), bytes: Array(bytes[otherEnd..<bytesEnd]))
    }
}
