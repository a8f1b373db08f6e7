import Glibc

/// A client's end of a connection, blocking, given up after a long silence.
package final class LineSocket {
    private var descriptor: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    private var part = [UInt8](repeating: 0, count: 65_536)

    package init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemRefused(call: "socket", code: errno) }
        var patience = timeval(tv_sec: TestTimeout.seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            hangUp()
            throw SystemRefused(call: "connect", code: code)
        }
    }

    /// A connection that another user makes; only root can.
    package convenience init(_ path: String, as user: UInt32) throws {
        try ThreadUser.change(to: user)
        defer { try? ThreadUser.change(to: 0) }
        try self.init(path)
    }

    deinit { hangUp() }

    /// Sends everything; false when the other side is gone.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool { LineSocket.send(bytes, descriptor) }

    /// Sends everything on another thread, while this one may read.
    ///
    /// - Parameter times: how often.
    package func sendBeside(_ bytes: [UInt8], times: Int = 1) -> Background {
        Background { [descriptor] in for _ in 0..<times where !LineSocket.send(bytes, descriptor) { break } }
    }

    /// Sends the parts on another thread, with so many microseconds between them.
    package func sendBeside(_ parts: [[UInt8]], pause: UInt32) -> Background {
        Background { [descriptor] in
            for part in parts where LineSocket.send(part, descriptor) { usleep(pause) }
        }
    }

    /// Sends as much as the socket takes now.
    package func sendWhatFits(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                let count = Glibc.send(descriptor, rest.baseAddress, rest.count, flags)
                guard count > 0 else { return }
                sent += count
            }
        }
    }

    @discardableResult
    private static func send(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                if count <= 0 { return false }
                sent += count
            }
            return true
        }
    }

    @discardableResult
    package func send(_ line: String) -> Bool { send(Array((line + "\n").utf8)) }

    /// The next line; nil once the other side has ended.
    package func nextLine() throws -> String? {
        while true {
            if let line = takeLine() { return line }
            let count = recv(descriptor, &part, part.count, 0)
            if count > 0 {
                buffer.append(contentsOf: part[..<count])
            } else if count == 0 || errno == ECONNRESET {
                return nil
            } else {
                guard errno == EAGAIN else { throw SystemRefused(call: "recv", code: errno) }
                throw TookTooLong(what: "no line came, within \(TestTimeout.seconds) s")
            }
        }
    }

    /// True where bytes are there that were not read.
    package var hasBytes: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return start < buffer.count || poll(&entry, 1, 0) > 0
    }

    /// The next bytes, at most so many, before any line is read; none once the other side has ended.
    package func bytes(atMost count: Int) throws -> ArraySlice<UInt8> {
        let count = recv(descriptor, &part, min(part.count, count), 0)
        guard count >= 0 else { throw SystemRefused(call: "recv", code: errno) }
        return part[..<count]
    }

    /// The next line, which must come.
    package func line() throws -> String {
        guard let line = try nextLine() else { throw Closed() }
        return line
    }

    /// The line that closes the reply to one request, rows and pushes passed over.
    package func ask(_ request: String) throws -> String {
        guard send(request) else { throw Closed() }
        return try final()
    }

    /// Asks, and wants it done.
    package func expect(_ request: String) throws {
        let reply = try ask(request)
        TestSupport.expect(reply.hasPrefix("+"), "\(request): \(reply)")
    }

    /// The next line that closes a reply.
    package func final() throws -> String {
        while true {
            let line = try line()
            if line.hasPrefix("+") || line.hasPrefix("-") { return line }
        }
    }

    /// The rows of the reply to one request; the closing line must be a `+`.
    package func rows(_ request: String) throws -> [String] { try page(request).rows }

    /// The rows of all pages of a list.
    package func allRows(_ request: String) throws -> [String] {
        var (rows, end) = try page(request)
        while let next = end.text("next") {
            let page = try page("\(request) after=\(next)")
            rows += page.rows
            end = page.end
        }
        return rows
    }

    private func page(_ request: String) throws -> (rows: [String], end: String) {
        guard send(request) else { throw Closed() }
        var rows: [String] = []
        while true {
            let line = try line()
            if line.hasPrefix("+") { return (rows, line) }
            guard line.hasPrefix("=") else { throw TookTooLong(what: "\(request) was answered \(line)") }
            rows.append(line)
        }
    }

    /// Waits until requests of a verb are carried out no more: look after look, each a turn of the daemon, sees the same
    /// count.
    package func waitForStandstill(of verb: String) throws {
        var (last, same) = (UInt64.max, 0)
        try until("no \(verb) is carried out any more") {
            let count = try ask("STATS").member(verb)?.number("count") ?? 0
            (last, same) = (count, count == last ? same + 1 : 0)
            usleep(20_000)
            return same == 10
        }
    }

    /// Says that no more will come.
    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    package func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    package struct Closed: Error {
        package init() {}
    }

    private func takeLine() -> String? {
        let end: Int? = buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, start < bytes.count,
                let found = memchr(base + start, 0x0A, bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
        guard let end else {
            buffer.removeFirst(start)
            start = 0
            return nil
        }
        defer { start = end + 1 }
        return String(decoding: buffer[start..<end], as: UTF8.self)
    }
}

/// Reads members out of lines that the store wrote, by their names, without reading the JSON.
extension String {
    /// The number behind the first `"name":`.
    package func number(_ name: String) -> UInt64? {
        after(name).map { $0.prefix { ("0"..."9").contains($0) } }.flatMap { UInt64($0) }
    }

    /// The text between the quotes behind the first `"name":`, as it stands.
    package func text(_ name: String) -> String? {
        guard let rest = after(name), rest.first == "\"" else { return nil }
        return String(rest.dropFirst().prefix { $0 != "\"" })
    }

    /// The text from the first value of a name on.
    fileprivate func member(_ name: String) -> String? { after(name).map { String($0) } }

    private func after(_ name: String) -> Substring? {
        let wanted = Array("\"\(name)\":".utf8)
        var place = utf8.startIndex
        while let quote = utf8[place...].firstIndex(of: 0x22) {
            if utf8[quote...].starts(with: wanted) {
                return self[utf8.index(quote, offsetBy: wanted.count)...]
            }
            place = utf8.index(after: quote)
        }
        return nil
    }
}
