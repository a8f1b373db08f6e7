import Foundation
import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// How runs of `storectl` end: where their output goes nowhere, where descriptors are closed, and by signals.
    @Suite struct ToolEndsTests {
        private let daemon: RunningDaemon

        init() throws {
            daemon = try RunningDaemon()
            let client = try daemon.client()
            expect(try client.ask(Load.append(to: "note-1", count: 300, size: 300)).hasPrefix("+"))
        }

        private func run(_ script: String) throws -> RunningDaemon.Run { try daemon.shell(script) }

        @Test func `tail goes on behind the last line that was written whole`() throws {
            let full = try run("$T tail --until-end >/dev/full")
            expect(full.exit == .code(3) && full.errors.contains("resume with --from 1 "), "\(full)")
            expect(full.errors.contains("No space left on device; make room there"), "\(full)")
            let closed = try run("$T tail --until-end >&-")
            expect(closed.exit == .code(2) && closed.errors.contains("resume with --from 1 "), "\(closed)")
            let cut = try run("trap '' XFSZ; ulimit -f 64; $T --json tail --until-end >$D/cut")
            let whole = Files.text(daemon.folder.place("cut")).split(separator: "\n", omittingEmptySubsequences: false)
            expect(cut.exit == .code(2) && (2..<300).contains(whole.count), "\(cut)")
            expect(cut.errors.contains("resume with --from \(whole.count) "), "\(cut), \(whole.count) lines")
        }

        @Test func `tail says where to go on also when two signals come as one`() throws {
            let run = try run(
                """
                for n in 1 2 3 4 5; do
                    $T --json tail --from 290 >$D/out-$n 2>$D/tail-$n & pid=$!
                    until grep -q '"position":300,' $D/out-$n || [ ! -e /proc/$pid ]; do sleep 0.02; done
                    kill -TERM $pid; kill -TERM $pid; wait $pid; echo $?; cat $D/tail-$n
                done
                """)
            let lines = run.output.split(separator: "\n")
            expect(lines.filter { $0 == "130" }.count == 5, "\(run)")
            expect(lines.filter { $0.hasPrefix("resume with --from 301 ") }.count == 5, "\(run)")
        }

        @Test func `tail ends when nobody reads what it prints`() throws {
            let run = try run("timeout \(TestTimeout.seconds) $T tail --from 290 | head -1 | wc -l; echo done")
            expect(run.output == "1\ndone\n", "\(run)")
        }

        @Test func `work for a reader ends with it, also where SIGPIPE is ignored and nothing is left to write`() throws
        {
            for verb in ["tail --from 290", "stats --watch", "--json stats --watch", "--json pipe <$D/held"] {
                let run = try run(
                    """
                    rm -f $D/held $D/code; mkfifo $D/held; trap '' PIPE; sleep 60 >$D/held & held=$!
                    (timeout 30 $T \(verb); echo $? >$D/code) | true; kill $held; cat $D/code
                    """)
                expect(run.output.hasSuffix("141\n"), "\(verb): \(run)")
            }
        }

        @Test func `work for a reader ends with it, also while the store does not answer`() throws {
            try daemon.pause()
            defer { try? daemon.resume() }
            for verb in ["export", "list users", "read", "streams --all", "tail"] {
                let run = try run(
                    "trap '' PIPE; (timeout 30 $T --timeout 60 \(verb); echo $? >$D/code) | true; cat $D/code")
                expect(run.output.hasSuffix("141\n"), "\(verb): \(run)")
            }
        }

        @Test(arguments: [
            "--version", "help", "help list", "list --help", "--help", "help --man", "completion bash", "count users",
            "list users --csv", "read", "streams", "stats", "stats --watch", "stats --all", "export",
            "verify", "replay", "append note-2 --type T --body 1", "--json read", "--json pipe", "pipe --raw",
        ])
        func `an output that takes nothing is told, whichever the verb`(verb: String) throws {
            let run = try run("echo PING | timeout 20 $T \(verb) >/dev/full")
            expect(run.exit == .code(3), "\(run)")
            expect(run.errors.contains("standard output cannot be written: No space left on device"), "\(run)")
        }

        @Test func `a pipe that does not block is waited for, and gets every byte`() throws {
            var ends: [Int32] = [-1, -1]
            expect(pipe(&ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try Program.path("storectl"))
            process.arguments = ["--socket", daemon.socket, "export"]
            process.standardOutput = FileHandle(fileDescriptor: ends[1])
            try process.run()
            close(ends[1])
            var waiting: Int32 = 0
            try until("the pipe is full") { ioctl(ends[0], UInt(FIONREAD), &waiting) == 0 && waiting >= 65_536 }
            let stat = "/proc/\(process.processIdentifier)/stat"
            try until("the program sleeps until there is room") { Files.text(stat).contains(") S ") }
            let read = try FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readToEnd() ?? Data()
            process.waitUntilExit()
            expect(process.terminationStatus == 0)
            expect(String(decoding: read, as: UTF8.self) == (try daemon.storectl("export").output))
        }

        @Test func `descriptors that are closed are no others`() throws {
            let posted = try run("timeout \(TestTimeout.seconds) $T post users <&-")
            expect(posted.exit == .code(2) && posted.errors.contains("nothing was given"), "\(posted)")
            for script in ["$T count users <&- >&-", "$T export <&- >&-", "$T tail --until-end <&- >&-"] {
                let run = try run("timeout \(TestTimeout.seconds) \(script)")
                expect(run.exit == .code(2) && run.errors.contains("standard output cannot be written"), "\(run)")
            }
            expect(try run("timeout \(TestTimeout.seconds) $T export <&- >&- 2>&-").exit == .code(2))
        }

        @Test func `work that only reads ends with the first signal`() throws {
            let client = try daemon.client()
            for _ in 0..<100 {
                expect(try client.ask(Load.append(to: "load-1", count: 1_000, size: 50)).hasPrefix("+"))
            }
            for verb in ["replay --verify", "verify", "count users", "replay"] {
                let run = try run(
                    "timeout -s INT 0.02 $S --data \(daemon.data) \(verb); [ $? = 124 ] && echo ended")
                expect(run.output.hasSuffix("ended\n"), "\(verb): \(run)")
            }
        }

        @Test func `what has to be asked for by name is not looked for elsewhere`() throws {
            for name in ["export", "verify", "replay"] {
                let run = try run(
                    "STORED_SOCKET=$D/none STORED_DATA=\(daemon.data) $S \(name)")
                expect(run.exit == .code(2) && run.errors.contains("cannot connect"), "\(name): \(run)")
            }
        }

        @Test func `a line that is no form is told, and the others are sent`() throws {
            let good = [1, 2, 3].map { #"{"id":"\#($0)","name":"N","email":"\#($0)@example.org","prefecture":3}"# }
            let input = "[1]\n\(good[0])\r\n[2]\n[3]\n[4]\n\(good[1])\n# no line\n\n\"x\"\n\(good[2])"
            let run = try daemon.storectl("post", "users", input: input)
            expect(run.exit == .code(2), "\(run)")
            expect(
                run.errors.split(separator: "\n").map { $0.prefix(17) }
                    == [1, 3, 4, 5, 9].map { "storectl: line \($0):" })
            expect(try daemon.client().ask("COUNT users").hasPrefix("+ {\"count\":3,"))
        }

        @Test(arguments: ["tail --until-end=no", "stats --watch=5", "count users --json=1", "export --csv --json"])
        func `a switch takes no value, and two forms are no form`(words: String) throws {
            let run = try run("$T \(words)")
            expect(run.exit == .code(2) && run.output == "", "\(run)")
        }

        @Test func `tail goes on in the history that it read last`() throws {
            let copy = daemon.folder.place("copy")
            expect(try daemon.client().ask("BACKUP \"\(copy)\"").hasPrefix("+"))
            let parent = try require(LineSocket(daemon.socket).nextLine()?.text("log"))
            let child = try RunningDaemon(data: copy)
            expect(try child.client().ask(Load.append(to: "note-1", count: 5, size: 10)).hasPrefix("+"))
            let output = child.folder.place("tail")
            let tail = try Program(
                [
                    try Program.path("storectl"), "--json", "--socket", child.socket, "tail", "--from", "299", "--log",
                    parent, "--limit", "8",
                ], output: output, errors: output + "-errors")
            try until("the last event is printed") { Files.text(output).contains("\"position\":305,") }
            try child.kill()
            try child.start()
            expect(try child.client().ask(Load.append(to: "note-1", count: 1, size: 10)).hasPrefix("+"))
            expect(try tail.wait() == .code(0), "\(Files.text(output + "-errors"))")
            expect(try child.stop() == .code(0))
        }
    }
}
