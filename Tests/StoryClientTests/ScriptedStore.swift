import Foundation
import Glibc
import StoryClient
import Synchronization

/// A server for any number of connections, one after another or at once, each with a thread and a script of its own.
final class ScriptedStore: Sendable {
    let address: StoreAddress
    private let directory: String
    private let listener: Int32
    private let accepted = Mutex(0)
    private let received = Mutex<[String]>([])

    /// - Parameter script: what happens on a connection; its number counts from 1.
    init(_ script: @escaping @Sendable (Int, StoreEnd) -> Void) throws {
        var template = Array("/tmp/client-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileNoSuchFile) }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        address = StoreAddress(path: directory + "/s")
        listener = try UnixListener.listening(at: address.path)
        let thread = Thread { [self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                let number = accepted.withLock {
                    $0 += 1
                    return $0
                }
                let connection = Thread { [self] in
                    script(number, StoreEnd(client) { line in self.received.withLock { $0.append(line) } })
                    shutdown(client, Int32(SHUT_RDWR))
                    close(client)
                }
                connection.start()
            }
        }
        thread.start()
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Accepts nobody any more.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        unlink(address.path)
    }

    /// How many connections were made.
    var connectionCount: Int { accepted.withLock { $0 } }

    /// The requests that came, without their tags.
    var requests: [String] { received.withLock { $0 } }

    /// Greets and answers each request, its tag taken away and put back, with what the closure says.
    static func answering(
        greeting: String = ScriptedServer.greeting, _ answer: @escaping @Sendable (String) -> String
    ) throws -> ScriptedStore {
        try ScriptedStore { _, store in
            store.write(greeting)
            store.answer(answer)
        }
    }
}

/// Listeners of tests.
enum UnixListener {
    static func listening(at path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 64) == 0 else { throw CocoaError(.fileWriteUnknown) }
        return listener
    }
}

/// The server's end of one connection: a `ServerEnd` that knows of tags.
final class StoreEnd {
    private let end: ServerEnd
    private let note: (String) -> Void

    init(_ descriptor: Int32, _ note: @escaping (String) -> Void) {
        end = ServerEnd(descriptor)
        self.note = note
    }

    func write(_ text: String) { end.write(text) }

    /// The next request: its tag with the `@`, empty without one, and the rest.
    func next() -> (tag: String, request: String)? {
        guard let line = end.readLine() else { return nil }
        guard line.hasPrefix("@"), let space = line.firstIndex(of: " ") else {
            note(line)
            return ("", line)
        }
        let request = String(line[line.index(after: space)...])
        note(request)
        return (String(line[..<space]), request)
    }

    /// Answers all requests until the other side ends.
    func answer(_ answer: (String) -> String) {
        while let (tag, request) = next() { write(StoreEnd.tagged(answer(request), tag)) }
    }

    /// Puts a tag behind the first byte of each line that belongs to a reply.
    static func tagged(_ lines: String, _ tag: String) -> String {
        lines.split(separator: "\n").map { line in
            guard let first = line.first, "=+-".contains(first) else { return line + "\n" }
            return "\(first)\(tag)\(line.dropFirst())\n"
        }.joined()
    }
}
