import Glibc
import TestSupport

/// A client's end, blocking, given up after a long silence.
final class Peer {
    private var descriptor: Int32

    init(_ path: String, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: TestTimeout.seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SystemRefused(call: "connect", code: errno) }
    }

    deinit { hangUp() }

    /// Sends everything; false when the other side is gone.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Bool {
        let array = Array(bytes)
        var sent = 0
        while sent < array.count {
            let count = array.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress?.advanced(by: sent), array.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    /// Reads until so many bytes came or the other side ended.
    func receive(_ count: Int) throws -> [UInt8] {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while result.count < count {
            let got = recv(descriptor, &buffer, min(buffer.count, count - result.count), 0)
            if got == 0 { break }
            if got < 0 {
                if errno == ECONNRESET { break }
                throw SystemRefused(call: "recv", code: errno)
            }
            result.append(contentsOf: buffer[..<got])
        }
        return result
    }

    /// Reads to the end.
    func receiveAll() throws -> [UInt8] { try receive(Int.max) }

    /// Says that no more will come.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}
