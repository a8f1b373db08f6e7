import Foundation
import Glibc

/// A `storeserve` beside a daemon, on a free port of this machine.
package final class RunningGateway {
    private let folder: Scratch
    private let program: Program
    package let port: UInt16
    package let token: String

    /// Starts it, and waits until it has printed its address.
    ///
    /// - Parameter socket: the store that it asks, which need not be there.
    /// - Parameter command: the program that starts it, with its arguments; nil: `storeserve` itself.
    package init(_ socket: String, command: [String]? = nil) throws {
        let folder = try Scratch()
        self.folder = folder
        let words = try (command ?? [Program.path("storeserve")]) + ["--socket", socket, "--listen", "127.0.0.1:0"]
        let (output, errors) = (folder.place("output"), folder.place("errors"))
        program = try Program(words, output: output, errors: errors)
        try until("storeserve prints its address: \(Files.text(errors))") { Files.text(output).hasSuffix("\n") }
        let address = Files.text(output)
        guard let found = address.wholeMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)\/\?token=([0-9a-f]{64})\n/),
            let port = UInt16(found.1)
        else { throw TookTooLong(what: "storeserve prints an address, not \(address)") }
        (self.port, token) = (port, String(found.2))
    }

    /// The memory of the process that is no file map, in bytes.
    package var anonymousMemory: Int { program.anonymousMemory }

    /// True while it runs.
    package var isRunning: Bool { program.poll() == nil }

    /// SIGTERM, and how that ended.
    package func stop() throws -> Exit {
        program.send(SIGTERM)
        return try program.wait()
    }

    /// The bytes of a request.
    ///
    /// - Parameter headers: the lines behind the request line; nil: the host and the token.
    package func request(_ target: String, headers: [String]? = nil) -> [UInt8] {
        let lines = headers ?? ["Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token)"]
        return Array("GET \(target) HTTP/1.1\r\n\((lines + ["", ""]).joined(separator: "\r\n"))".utf8)
    }

    /// Returns a connection of its own on which one request was sent.
    package func connection(asking target: String, headers: [String]? = nil) throws -> HTTPConnection {
        let connection = try HTTPConnection(port)
        connection.send(request(target, headers: headers))
        return connection
    }

    /// Sends one request on a connection of its own; nil where that is closed without an answer.
    package func get(_ target: String, headers: [String]? = nil) throws -> HTTPReply? {
        try connection(asking: target, headers: headers).reply()
    }
}

/// The answer to a request of HTTP.
package struct HTTPReply {
    package let status: Int
    /// The status line and the headers.
    package let head: String
    package let body: String
}

/// A connection to a port of this machine, blocking, given up after a long silence.
package final class HTTPConnection {
    private var descriptor: Int32
    private var bytes: [UInt8] = []

    package init(_ port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemRefused(call: "socket", code: errno) }
        var patience = timeval(tv_sec: TestTimeout.seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SystemRefused(call: "connect", code: errno) }
    }

    deinit { hangUp() }

    package func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Says that no more will come.
    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    package func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// Returns what has come until a text is in it, and drops it; nil where the other side has ended before.
    package func read(through text: String) throws -> String? {
        while true {
            let read = String(decoding: bytes, as: UTF8.self)
            if let end = read.range(of: text) {
                bytes = Array(read[end.upperBound...].utf8)
                return String(read[..<end.upperBound])
            }
            guard try more() else { return nil }
        }
    }

    /// Returns the next answer; nil where the other side has ended without one.
    ///
    /// - Parameter isHead: true for an answer whose length is that of a body which is not sent.
    package func reply(isHead: Bool = false) throws -> HTTPReply? {
        guard let head = try read(through: "\r\n\r\n"), let status = Int(head.dropFirst(9).prefix(3)) else {
            return nil
        }
        let lines = head.lowercased().split(separator: "\r\n")
        guard let length = lines.first(where: { $0.hasPrefix("content-length: ") }) else {
            // Chunks: the texts of these tests do not look like the end of the last one.
            let isWhole = !lines.contains("transfer-encoding: chunked") || status == 304
            let body = isWhole ? "" : try read(through: "\r\n0\r\n\r\n") ?? ""
            return HTTPReply(status: status, head: head, body: body)
        }
        let count = isHead ? 0 : Int(length.dropFirst("content-length: ".count)) ?? 0
        while bytes.count < count { guard try more() else { return nil } }
        defer { bytes.removeFirst(count) }
        return HTTPReply(status: status, head: head, body: String(decoding: bytes[..<count], as: UTF8.self))
    }

    /// True once the other side has closed the connection.
    package func isClosed() throws -> Bool {
        while try more() {}
        return true
    }

    private func more() throws -> Bool {
        var part = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &part, part.count, 0)
        guard count >= 0 else {
            if errno == ECONNRESET { return false }
            throw SystemRefused(call: "recv", code: errno)
        }
        bytes += part[..<count]
        return count > 0
    }
}
