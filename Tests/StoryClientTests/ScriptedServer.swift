import Foundation
import Glibc
import StoryClient

/// A server for one client that does what its script says, on a thread and in a directory of its own.
final class ScriptedServer: Sendable {
    static let greeting = #"* {"server":"stored/test","protocol":1,"position":0}"# + "\n"

    let address: StoreAddress
    private let directory: String

    init(_ script: @escaping @Sendable (ServerEnd) -> Void) throws {
        var template = Array("/tmp/client-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileNoSuchFile) }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        address = StoreAddress(path: directory + "/s")
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address.path.utf8) }
        _ = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        listen(listener, 1)
        let thread = Thread {
            let client = accept(listener, nil, nil)
            close(listener)
            script(ServerEnd(client))
            close(client)
        }
        thread.start()
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Greets and answers each line with what the closure says.
    static func answering(_ answer: @escaping @Sendable (String) -> String) throws -> ScriptedServer {
        try ScriptedServer { server in
            server.write(greeting)
            while let line = server.readLine() { server.write(answer(line)) }
        }
    }
}

/// The server's end of the connection, blocking.
final class ServerEnd {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent <= 0 { return }
            rest = rest.dropFirst(sent)
        }
    }

    func readLine() -> String? {
        var part = [UInt8](repeating: 0, count: 4_096)
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let count = recv(descriptor, &part, part.count, 0)
            if count <= 0 { return nil }
            buffer += part[..<count]
        }
    }
}
