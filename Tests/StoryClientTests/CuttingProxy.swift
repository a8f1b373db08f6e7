import Foundation
import Glibc
import Synchronization
import TestSupport

/// Stands between clients and a store, and cuts each connection after so many bytes either way.
final class CuttingProxy: Sendable {
    let path: String
    private let folder: Scratch
    private let listener: Int32
    private let cuts = Mutex(0)

    /// - Parameter budget: how many bytes of a connection pass, to the store and back; nil: all.
    init(to store: String, budget: @escaping @Sendable () -> (there: Int, back: Int)?) throws {
        folder = try Scratch()
        path = folder.place("p")
        listener = try UnixListener.listening(at: path)
        let thread = Thread { [self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                let bytes = budget() ?? (Int.max, Int.max)
                relay(client, store, there: bytes.there, back: bytes.back)
            }
        }
        thread.start()
    }

    /// How many connections were cut.
    var cutCount: Int { cuts.withLock { $0 } }

    /// Lets nobody in any more.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func relay(_ client: Int32, _ store: String, there: Int, back: Int) {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: store.utf8) }
        _ = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        let open = OpenCount()
        for (from, to, budget) in [(client, server, there), (server, client, back)] {
            let thread = Thread { [self] in
                if CuttingProxy.copy(from, to, budget) { cuts.withLock { $0 += 1 } }
                for end in [client, server] { shutdown(end, Int32(SHUT_RDWR)) }
                // The last of the two closes.
                guard open.countDown() == 0 else { return }
                for end in [client, server] { close(end) }
            }
            thread.start()
        }
    }

    /// Copies until the end or so many bytes; true when it was the bytes.
    private static func copy(_ from: Int32, _ to: Int32, _ budget: Int) -> Bool {
        var rest = budget
        var part = [UInt8](repeating: 0, count: 16_384)
        while rest > 0 {
            let count = recv(from, &part, min(part.count, rest), 0)
            guard count > 0 else { return false }
            var sent = 0
            while sent < count {
                let done = part[sent..<count].withUnsafeBytes {
                    send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard done > 0 else { return false }
                sent += done
            }
            rest -= count
        }
        return true
    }

    /// How many of a connection's two threads still go on.
    private final class OpenCount: Sendable {
        private let left = Mutex(2)

        func countDown() -> Int {
            left.withLock {
                $0 -= 1
                return $0
            }
        }
    }
}
