import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// The daemon's standard error, read by somebody who may have stopped.
    @Suite struct TraceOutputTests {
        /// A pipe that nobody reads, filled to the last byte.
        private static func fullPipe(_ path: String) throws -> Int32 {
            expect(mkfifo(path, 0o600) == 0)
            let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            expect(descriptor >= 0)
            for size in [4_096, 1] {
                let bytes = [UInt8](repeating: 0x78, count: size)
                while write(descriptor, bytes, size) > 0 {}
            }
            return descriptor
        }

        @Test func `where nobody reads what it prints, clients are served and SIGTERM ends it`() throws {
            let folder = try Scratch()
            let descriptor = try Self.fullPipe(folder.place("pipe"))
            defer { close(descriptor) }
            let daemon = try Program(
                [
                    try Program.path("stored"), "--data", folder.place("data"), "--socket", folder.place("s"), "--idle",
                    "1",
                ], output: "/dev/null", errors: folder.place("pipe"))
            let client = try greeted(folder.place("s"))
            let half = try greeted(folder.place("s"))
            half.send(Array("PIN".utf8))
            // The end of the idle one is something to say.
            expect(try half.line() == #"* {"idle":1,"position":0}"#)
            for _ in 0..<100 { expect(try client.ask("PING") == #"+ {"position":0}"#) }
            daemon.send(SIGTERM)
            expect(try daemon.wait() == .code(0))
        }

        @Test func `a reader of what it prints that has gone ends nothing, also at the start`() throws {
            let daemon = try RunningDaemon()
            expect(try daemon.stop() == .code(0))
            let script = "exec 2> >(exec true); sleep 0.1; exec \"$@\""
            let again = try Program(
                [
                    "bash", "-c", script, "_", try Program.path("stored"), "--data", daemon.data, "--socket",
                    daemon.socket,
                ],
                output: "/dev/null", errors: "/dev/null")
            let client = try greeted(daemon.socket)
            expect(try client.ask("PING") == #"+ {"position":0}"#)
            again.send(SIGTERM)
            expect(try again.wait() == .code(0))
        }

        /// A client of a daemon that starts.
        private func greeted(_ path: String) throws -> LineSocket {
            var client: LineSocket?
            try until("it greets") {
                client = try? LineSocket(path)
                return try client?.nextLine()?.hasPrefix("*") == true
            }
            guard let client else { throw TookTooLong(what: "no connection") }
            return client
        }
    }
}
