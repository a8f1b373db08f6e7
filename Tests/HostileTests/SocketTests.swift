import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension HostileTests {
    /// The socket's file, and who holds it.
    @Suite struct SocketTests {
        @Test func `a killed daemon's socket is taken over by the next start, each time`() throws {
            let daemon = try RunningDaemon()
            var starts: [Duration] = []
            let usual = try Yardstick { _ = try RunningDaemon() }
            for round in 1...HostileTests.scale.of(5, long: 100) {
                expect(
                    try daemon.client().ask(#"APPEND note-1 {"type":"A","data":{}}"#).number("position")
                        == UInt64(round))
                try daemon.kill()
                starts.append(try ContinuousClock().measure { try daemon.start() })
            }
            print("hostile: starts after kill -9: \(Waits(starts))")
            expect(starts.max() ?? .zero < usual.limit(20, atLeast: .seconds(2)))
        }

        @Test func `twenty other daemons on its directory and its socket do not interrupt it`() throws {
            let daemon = try RunningDaemon()
            let canary = try Canary(daemon)
            let folder = try Scratch()
            let stored = try Program.path("stored")
            for round in 0..<HostileTests.scale.of(1, long: 20) {
                let others = try (0..<20).map { number in
                    // Half of them want the directory, the others only the socket.
                    let place = folder.place("\(round).\(number)")
                    let data = number % 2 == 0 ? daemon.data : place + ".data"
                    return try Program(
                        [stored, "--data", data, "--socket", daemon.socket], output: place, errors: place)
                }
                for (number, other) in others.enumerated() {
                    expect(try other.wait() == .code(2))
                    let said = Files.text(folder.place("\(round).\(number)"))
                    let wanted = number % 2 == 0 ? "is held by process \(daemon.pid)" : "another server answers"
                    expect(said.contains(wanted), "\(said)")
                    expect(!Files.exists(folder.place("\(round).\(number).data")), "nothing is left behind")
                }
            }
            try canary.end("twenty other daemons")
            expect(try daemon.client().ask("PING") == #"+ {"position":0}"#)
        }

        @Test func `a daemon that stops leaves alone the socket of the one that takes its place`() throws {
            let folder = try Scratch()
            let (stored, socket) = (try Program.path("stored"), folder.place("s"))
            func start(_ name: String) throws -> Program {
                try Program(
                    [stored, "--data", folder.place(name), "--socket", socket], output: folder.place(name + ".said"),
                    errors: folder.place(name + ".said"))
            }
            func serves() -> Bool { (try? LineSocket(socket).nextLine())?.hasPrefix("*") == true }
            var old = try start("0")
            try until("the first one serves") { serves() }
            for round in 1...HostileTests.scale.of(5, long: 200) {
                old.send(SIGTERM)
                // Tried again until the path is free.
                var new = try start("\(round % 2)")
                try until("the next one serves") {
                    if new.poll() != nil { new = try start("\(round % 2)") }
                    return old.poll() != nil && serves()
                }
                expect(try old.wait() == .code(0))
                expect(new.poll() == nil)
                old = new
            }
        }

        @Test func `a socket's file that somebody else put in its place is left alone`() throws {
            let (old, new) = (try RunningDaemon(), try Scratch())
            unlink(old.socket)
            let command = [try Program.path("stored"), "--data", new.place("data"), "--socket", old.socket]
            let other = try Program(command, output: new.place("said"), errors: new.place("said"))
            try until("the other one serves") { (try? LineSocket(old.socket).nextLine())?.hasPrefix("*") == true }
            expect(try old.stop() == .code(0))
            expect(try LineSocket(old.socket).line().hasPrefix("*"))
            other.send(SIGTERM)
            expect(try other.wait() == .code(0))
        }

        @Test func `the socket's file is nobody else's from its first moment, whatever the umask`() throws {
            let daemon = try RunningDaemon(command: ["sh", "-c", "umask 0; exec \"$0\" \"$@\""])
            let seen = Mutex<Set<mode_t>>([])
            let mustStop = Mutex(false)
            let (socket, data) = (daemon.socket, daemon.data)
            let watcher = Background {
                while !mustStop.withLock({ $0 }) {
                    for path in [socket, data + "/log.journal", data + "/log/data.mdb", data + "/FORMAT"] {
                        if let mode = Files.mode(path) { _ = seen.withLock { $0.insert(mode) } }
                    }
                }
            }
            for _ in 0..<HostileTests.scale.of(10, long: 100) {
                expect(try daemon.stop() == .code(0))
                try FileManager.default.removeItem(atPath: data)
                try daemon.start()
            }
            mustStop.withLock { $0 = true }
            try watcher.join()
            let modes = seen.withLock { $0 }
            expect(modes.contains(0o600))
            expect(modes.allSatisfy { $0 & 0o077 == 0 }, "\(modes.map { String($0, radix: 8) })")
        }

        @Test func `nothing of it has an address without a file, and no child would inherit what it has open`() throws {
            let daemon = try RunningDaemon()
            _ = try daemon.client().ask(#"APPEND note-1 {"type":"A","data":{}}"#)
            let open = try Files.names(in: "/proc/\(daemon.pid)/fd").compactMap { Int($0) }
            expect(open.count > 5)
            for descriptor in open where descriptor > 2 {
                let info = Files.text("/proc/\(daemon.pid)/fdinfo/\(descriptor)")
                // It was closed meanwhile.
                if info.isEmpty { continue }
                let flags = info.split(separator: "\n").first { $0.hasPrefix("flags:") }?.split(separator: "\t").last
                let number = flags.flatMap { Int32($0, radix: 8) } ?? 0
                expect(number & O_CLOEXEC != 0, "descriptor \(descriptor): \(info)")
            }
            var own: [Substring] = []
            // While descriptors and sockets come and go, the kernel may leave one out of either list.
            try until("its socket is told of") {
                let links = try Files.names(in: "/proc/\(daemon.pid)/fd").compactMap { descriptor in
                    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(daemon.pid)/fd/\(descriptor)")
                }
                let sockets = links.filter { $0.hasPrefix("socket:[") }.map { $0.dropFirst(8).dropLast() }
                let known = Files.text("/proc/net/unix").split(separator: "\n").map { $0.split(separator: " ") }
                own = known.filter { $0.count > 7 && sockets.contains($0[6]) }.map { $0[7] }
                return !own.isEmpty
            }
            expect(own.allSatisfy { $0 == daemon.socket }, "\(own)")
        }

        @Test func `a path of 107 bytes is served, one of 108 is refused in a sentence`() throws {
            let folder = try Scratch()
            func path(_ count: Int) -> String {
                let start = folder.place("s")
                return start + String(repeating: "x", count: count - start.utf8.count)
            }
            let said = folder.place("said")
            let command = [try Program.path("stored"), "--data", folder.place("data"), "--socket"]
            expect(try Program(command + [path(108)], output: said, errors: said).wait() == .code(2))
            expect(Files.text(said).contains("107"), "\(Files.text(said))")
            let daemon = try Program(command + [path(107)], output: said, errors: said)
            try until("it serves") { (try? LineSocket(path(107)).nextLine())?.hasPrefix("*") == true }
            daemon.send(SIGTERM)
            expect(try daemon.wait() == .code(0))
        }
    }
}
