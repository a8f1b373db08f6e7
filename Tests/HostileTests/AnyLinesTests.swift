import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension HostileTests {
    /// Lines of all sorts from clients of every role: millions of them in the long form, under AddressSanitizer as well.
    ///
    /// `LINES` says how many there are, and `SEED` repeats those of a run.
    @Suite struct AnyLinesTests {
        private static let seed = HostileTests.scale.seed
        private static let lines =
            ProcessInfo.processInfo.environment["LINES"].flatMap { Int($0) }
            ?? HostileTests.scale.of(20_000, long: 1_000_000)
        private static let (daemonUser, reader, writer, admin): (UInt32, UInt32, UInt32, UInt32) =
            (61_000, 61_001, 61_002, 61_003)

        @Test(.enabled(if: geteuid() == 0, "only root can connect as somebody else"))
        func `whatever a client of any role sends, the store serves, and does what the role may do`() throws {
            let folder = try Scratch()
            guard let daemon = try Self.daemon(folder) else {
                return print("any lines: another user cannot run the daemon")
            }
            print("any lines of seed \(Self.seed)")
            let canary = try Canary(daemon)
            let began = daemon.anonymousMemory
            try Self.send(Self.lines / 4, as: [Self.reader, Self.reader], to: daemon)
            expect(try daemon.client().ask("PING") == #"+ {"position":0}"#, "a reader has written")
            let users = [0, Self.reader, Self.writer, Self.writer, Self.admin]
            let answers = try Self.send(Self.lines - Self.lines / 4, as: users, to: daemon)
            try canary.end("any lines")
            let client = try daemon.client()
            let verified = try client.ask("VERIFY")
            expect(verified.hasPrefix("+") && (verified.number("verified") ?? 0) > 100, "\(verified)")
            let grown = (daemon.anonymousMemory - began) >> 20
            print("any lines: \(Self.lines) lines, \(answers) answers, \(verified), memory grew by \(grown) MiB")
            // The socket's access control list refuses it; where there are no such lists, the daemon hangs up.
            #expect(throws: (any Error).self, "nobody without a role is let in") {
                var stranger = LineSender(daemon.socket, 61_004, LineMaker(seed: Self.seed))
                _ = try stranger.send(100)
            }
            expect(try daemon.stop() == .code(0))
        }

        /// A daemon of another user, since root is an admin of every daemon; nil where that user may not run it.
        ///
        /// - Parameter folder: a place for a copy of the program: where it was built, others may have no right to look.
        private static func daemon(_ folder: Scratch) throws -> RunningDaemon? {
            let program = folder.place("stored")
            try FileManager.default.copyItem(atPath: try Program.path("stored"), toPath: program)
            chmod(folder.path, 0o755)
            let user = ["setpriv", "--reuid=\(daemonUser)", "--regid=\(daemonUser)", "--clear-groups"]
            let isAllowed = try Program(user + [program, "--version"], output: "/dev/null", errors: "/dev/null").wait()
            guard isAllowed == .code(0) else { return nil }
            let rules = [(reader, "read"), (writer, "write"), (admin, "admin")]
            let daemon = try RunningDaemon(
                options: rules.flatMap { ["--allow", "\($0.0)=\($0.1)"] }, command: user, executable: program,
                isStarted: false)
            chmod(daemon.folder.path, 0o755)
            chown(daemon.folder.path, daemonUser, daemonUser)
            try daemon.start()
            return daemon
        }

        /// Sends lines over a connection for each of the users at once.
        ///
        /// - Returns: how many of them were answered.
        @discardableResult
        private static func send(_ lines: Int, as users: [UInt32], to daemon: RunningDaemon) throws -> Int {
            let ends = Mutex<[Result<Int, any Error>]>([])
            let senders = users.enumerated().map { number, user in
                Background { [socket = daemon.socket, seed] in
                    var sender = LineSender(socket, user, LineMaker(seed: seed &* 100 &+ UInt64(number)))
                    let end = Result { try sender.send(lines / users.count) }
                    ends.withLock { $0.append(end) }
                }
            }
            for sender in senders { try sender.join(within: 7_200) }
            return try ends.withLock { $0 }.reduce(0) { try $0 + $1.get() }
        }
    }

    /// A client that sends lines and reads what comes, over one connection after the other.
    private struct LineSender {
        private let path: String
        private let user: UInt32
        private var maker: LineMaker
        private var client: LineSocket?
        private var batches = 0

        init(_ path: String, _ user: UInt32, _ maker: LineMaker) {
            (self.path, self.user, self.maker) = (path, user, maker)
        }

        /// - Returns: how many replies came.
        mutating func send(_ count: Int) throws -> Int {
            var (answers, sent) = (0, 0)
            while sent < count {
                let batch = min(count - sent, 100)
                answers += try sendBatch(of: batch)
                sent += batch
            }
            return answers
        }

        /// Sends some lines and one that marks their end, and reads until that is answered, or the connection has ended.
        private mutating func sendBatch(of count: Int) throws -> Int {
            batches += 1
            // It forgets its subscriptions now and then.
            if batches % 50 == 0 { client = nil }
            let client = try connected()
            let batch = (0..<count).flatMap { _ in maker.next() }
            let mark = "mark\(batches)"
            let sender = client.sendBeside(batch + Array("\n@\(mark) PING\n".utf8))
            var answers = 0
            while let line = try client.nextLine() {
                guard !line.contains(#""code":"internal""#) else { throw TookTooLong(what: line) }
                if line.hasPrefix("+@\(mark) ") || line.hasPrefix("-@\(mark) ") {
                    try sender.join()
                    return answers
                }
                if line.hasPrefix("+") || line.hasPrefix("-") { answers += 1 }
            }
            client.hangUp()
            try sender.join()
            self.client = nil
            return answers
        }

        private mutating func connected() throws -> LineSocket {
            if let client { return client }
            let made = try LineSocket(path, as: user)
            guard try made.line().hasPrefix("*") else { throw TookTooLong(what: "it is not greeted") }
            maker.beginConnection()
            client = made
            return made
        }
    }
}
