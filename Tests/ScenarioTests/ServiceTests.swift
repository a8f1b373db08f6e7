import Glibc
import StoryCore
import TestSupport
import Testing

extension DaemonTests {
    /// The daemon as a service: told when it serves, given its socket.
    @Suite struct ServiceTests {
        /// Starts a program with one socket that listens already, as systemd does.
        private static func handingOver(_ path: String, count: Int = 1) -> [String] {
            let script = #"""
                use Socket; use POSIX; $^F = 10; my ($path, $count) = splice(@ARGV, 0, 2);
                socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die; bind($s, sockaddr_un($path)) or die; listen($s, 10) or die;
                POSIX::dup2(fileno($s), 3); $ENV{LISTEN_PID} = $$; $ENV{LISTEN_FDS} = $count; exec @ARGV;
                """#
            return ["perl", "-e", script, path, String(count)]
        }

        @Test func `a socket that is handed over is served, and left where it is`() throws {
            let folder = try Scratch()
            let place = folder.place("handed")
            let daemon = try RunningDaemon(command: Self.handingOver(place), served: place)
            expect(try daemon.client().ask("PING") == #"+ {"position":0}"#)
            expect(access(daemon.socket, F_OK) != 0, "its own path is not used")
            expect(daemon.trace.contains("socket=\(place)"), "\(daemon.trace)")
            expect(try daemon.stop() == .code(0))
            expect(access(place, F_OK) == 0, "whoever made the socket's file removes it")
        }

        @Test func `more than one socket is refused`() throws {
            let (folder, said) = (try Scratch(), try Scratch())
            let command =
                Self.handingOver(folder.place("s"), count: 2)
                + [try Program.path("stored"), "--data", folder.place("data"), "--socket", folder.place("t")]
            let errors = said.place("said")
            expect(try Program(command, output: errors, errors: errors).wait() == .code(2))
            expect(Files.text(errors).contains("LISTEN_FDS=2"), "\(Files.text(errors))")
        }

        @Test func `a limit of open files is raised where it can be, else told and kept`() throws {
            let raised = try RunningDaemon(command: ["sh", "-c", "ulimit -S -n 100; exec \"$0\" \"$@\""])
            let greeting = try LineSocket(raised.socket).line()
            expect(greeting.contains("\"connections\":\(Limits().connections)"), "\(greeting)")
            let held = try RunningDaemon(command: ["sh", "-c", "ulimit -n 100; exec \"$0\" \"$@\""])
            expect(held.trace.contains("fewer-connections connections=36"), "\(held.trace)")
            let clients = try (0..<36).map { _ in try held.client() }
            expect(try LineSocket(held.socket).line().hasPrefix(#"- {"code":"busy""#))
            expect(try clients[35].ask("CHECKPOINT").hasPrefix("+"))
        }

        @Test func `a service manager hears that it serves, that it is alive, that it stops`() throws {
            let folder = try Scratch()
            let manager = try Datagrams(at: folder.place("notify"))
            let daemon = try RunningDaemon(environment: [
                "NOTIFY_SOCKET=\(folder.place("notify"))", "WATCHDOG_USEC=400000",
            ])
            expect(try manager.next() == "READY=1\nSTATUS=serving \(daemon.socket)")
            for _ in 0..<3 { expect(try manager.next() == "WATCHDOG=1") }
            daemon.send(SIGTERM)
            var last = try manager.next()
            while last == "WATCHDOG=1" { last = try manager.next() }
            expect(last == "STOPPING=1\nSTATUS=draining")
            expect(try daemon.wait() == .code(0))
        }

        @Test func `a service manager that is gone, or no socket, is no fault`() throws {
            for place in ["/nowhere/at/all", "relative", "@storykeep-nobody", String(repeating: "x", count: 300), "@"] {
                let daemon = try RunningDaemon(environment: ["NOTIFY_SOCKET=\(place)", "WATCHDOG_USEC=zero"])
                expect(try daemon.client().ask("PING") == #"+ {"position":0}"#)
                expect(try daemon.stop() == .code(0))
            }
        }
    }
}

/// A socket that datagrams come to.
private final class Datagrams {
    private let descriptor: Int32

    init(at path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw SystemRefused(call: "bind", code: errno) }
    }

    deinit { close(descriptor) }

    /// The next one.
    func next() throws -> String {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Int32(TestTimeout.seconds) * 1_000) > 0 else {
            throw TookTooLong(what: "no datagram came")
        }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}
