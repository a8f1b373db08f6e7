import Foundation
import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// `storectl top`, `check` and `metrics` beside a real daemon.
    @Suite struct FigureToolTests {
        private let daemon: RunningDaemon

        init() throws { daemon = try RunningDaemon() }

        private static func type(of path: String) -> mode_t? {
            var status = stat()
            return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
        }

        private func top(_ words: String..., columns: UInt16 = 80) throws -> Pseudoterminal {
            try Pseudoterminal(
                [try Program.path("storectl"), "--socket", daemon.socket, "top"] + words,
                environment: ["TERM=xterm"] + SanitizerSettings.environment, columns: columns)
        }

        @Test func `top is one live screen, and sorts its clients, until q`() throws {
            let reader = try daemon.client()
            _ = try reader.ask("SUBSCRIBE events/note-*")
            let terminal = try top()
            try terminal.shows("the daemon") {
                $0.isOnSecondPage && $0.lines[0].hasPrefix("stored/") && $0.lines[2].hasPrefix("position    0, ")
                    && $0.lines[7] == "conditions  none" && $0.lines[23] == "q quit   s sorts clients by requests"
            }
            try daemon.client().expect(#"APPEND note-1 {"type":"T","data":1}"#)
            try terminal.shows("the event, a line of blocks, the requests and the subscription") { screen in
                screen.lines[1].contains(#/^events +[0-9]+\/s +[▁▂▃▄▅▆▇█]{2}/#)
                    && screen.lines[2].hasPrefix("position    1, ")
                    && screen.lines.contains { $0.contains(#/^APPEND +1 +[0-9]+ +[0-9.]+ [µm]s +[0-9.]+ [µm]s$/#) }
                    && screen.lines.contains { $0.contains(#/ SUBSCRIBE +1 .* 0  events\/note-\* live$/#) }
                    && screen.overruns == 0
            }
            terminal.type("s")
            try terminal.shows("another order") { $0.lines[23] == "q quit   s sorts clients by bytes" }
            try daemon.kill()
            try terminal.shows("the loss") { $0.lines[23].hasPrefix("no store answers (") }
            try daemon.start()
            try terminal.shows("the store again") { $0.lines[23].hasPrefix("q quit") }
            terminal.type("q")
            expect(try terminal.wait() == 0)
            expect(terminal.isPlain && !terminal.shown.isOnSecondPage && terminal.shown.hasCursor)
        }

        @Test func `top prints its screen once where there is no terminal, and says so where it cannot be drawn`()
            throws
        {
            let once = try daemon.storectl("top", "--once")
            expect(once.exit == .code(0) && once.output.hasPrefix("stored/"))
            let lines = once.output.split(separator: "\n", omittingEmptySubsequences: false)
            expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 } && !once.output.contains("\u{1B}"))
            expect(once.output.contains(#/\nclient +pid +last +requests +sent +lag  slowest subscription\n/#))
            let live = try daemon.storectl("top")
            expect(live.exit == .code(2) && live.errors.contains("use top --once"))
        }

        @Test func `a check is a line with figures, and its exit code is the verdict`() throws {
            try daemon.client().expect(#"APPEND note-1 {"type":"T","data":1}"#)
            let well = try daemon.storectl("check", "--warning", "ping=30", "--critical=ping=60")
            expect(well.exit == .code(0) && well.errors.isEmpty)
            let line =
                #/^STORYKEEP OK - position 1, [0-9]+ clients? \| position=1c lag=0;10000;100000 ping=[0-9.]+s;30;60 disk=[0-9]+B\n$/#
            expect(well.output.contains(line), "\(well.output)")
            let short = try daemon.storectl(
                "check", "--warning", "disk=1e18", "--warning", "ping=30", "--critical=ping=60")
            expect(short.exit == .code(1) && short.output.hasPrefix("STORYKEEP WARNING - disk "))
            let shorter = try daemon.storectl("check", "--critical", "disk=1e18")
            expect(shorter.exit == .code(2) && shorter.output.hasPrefix("STORYKEEP CRITICAL - "))
            for words in [
                ["--warning", "words=1"], ["--critical", "lag"], ["--nonsense"], ["more"], ["--warning", "lag=-1"],
            ] {
                let wrong = try daemon.storectl(arguments: ["check"] + words)
                expect(wrong.exit == .code(3) && wrong.output.hasPrefix("STORYKEEP UNKNOWN - "), "\(words)")
            }
            try daemon.kill()
            let gone = try daemon.storectl("check")
            expect(gone.exit == .code(2) && gone.output.hasPrefix("STORYKEEP CRITICAL - cannot connect"))
        }

        @Test func `a check tells misfits where it is asked to`() throws {
            let client = try daemon.client()
            try client.expect(#"DEFINE orders "from order; n: number; on Placed { n = data.n }""#)
            try until("it answers") { try client.ask("COUNT orders").hasPrefix("+") }
            try client.expect(#"APPEND order-1 {"type":"Placed","data":{}}"#)
            let calm = ["check", "--warning", "ping=30", "--critical", "ping=60"]
            expect(try daemon.storectl(arguments: calm).exit == .code(0))
            for words in [["stats"], ["top", "--once"]] {
                let page = try daemon.storectl(arguments: words).output
                expect(page.contains(#/\nset aside +1 misfit in orders\n/#), "\(page)")
            }
            let asked = try daemon.storectl(arguments: calm + ["--warning", "misfits=0"])
            expect(
                asked.exit == .code(1) && asked.output.hasPrefix("STORYKEEP WARNING - misfits 1, "), "\(asked.output)")
            expect(asked.output.hasSuffix(" misfits=1;0;\n"))
        }

        @Test func `a check of a replica whose source is gone is no OK, and what it lacks is unknown`() throws {
            let replica = try RunningDaemon(options: ["--follow", daemon.socket])
            let calm = ["check", "--warning", "ping=30", "--critical", "ping=60"]
            try until("it follows") {
                let well = try replica.storectl(arguments: calm)
                return well.exit == .code(0) && well.output.contains(" behind=0;10000;100000 silence=")
            }
            try daemon.kill()
            try until("it says that the source is lost") { try replica.storectl(arguments: calm).exit == .code(1) }
            let lost = try replica.storectl(arguments: calm)
            expect(lost.output.hasPrefix("STORYKEEP WARNING - source-lost, position 0"), "\(lost.output)")
            expect(lost.output.contains(" behind=U;10000;100000 silence="), "\(lost.output)")
            let strict = calm + ["--warning", "silence=0", "--critical", "silence=0"]
            try until("its silence is critical") {
                let late = try replica.storectl(arguments: strict)
                return late.exit == .code(2) && late.output.hasPrefix("STORYKEEP CRITICAL - source-lost, silence ")
            }
            let stats = try replica.storectl("stats").output
            expect(stats.contains("\nconditions   source-lost: the source does not answer"), "\(stats)")
            expect(
                stats.contains(#/\ncluster      replica of .*catchingUp, lag unknown/#) || stats.contains("replica of"))
            expect(try replica.storectl("top", "--once").output.contains("\nconditions  source-lost\n"))
        }

        @Test func `metrics are OpenMetrics, the older text, or a file that is whole`() throws {
            let strict = try daemon.storectl("metrics")
            expect(strict.output.hasPrefix("# TYPE storykeep_build info\n") && strict.output.hasSuffix("\n# EOF\n"))
            let older = try daemon.storectl("metrics", "--prometheus").output
            expect(older.hasPrefix("# TYPE storykeep_build_info gauge\n# HELP storykeep_build_info The program"))
            expect(older.contains("\n# TYPE storykeep_requests_total counter\n"))
            expect(!older.contains("# UNIT") && !older.contains("# EOF"))
            let folder = try Scratch()
            let path = folder.place("storykeep.prom")
            expect(try daemon.storectl("metrics", "--textfile", path).output.isEmpty)
            expect(Files.text(path).hasPrefix("# TYPE storykeep_build_info gauge\n"))
            let before = Files.text(path)
            let link = folder.place("link.prom")
            expect(symlink(path, link) == 0)
            expect(try daemon.storectl("metrics", "--textfile", link).exit == .code(0))
            expect(Self.type(of: link) == S_IFLNK)
            expect(Files.text(link).hasPrefix("# TYPE storykeep_build_info gauge\n"))
            try daemon.kill()
            expect(try daemon.storectl("metrics", "--textfile", path).exit == .code(2))
            expect(Files.text(path) == Files.text(link) && !before.isEmpty)
        }

        @Test func `what is no file is not replaced by one`() throws {
            let folder = try Scratch()
            let (pipe, lost) = (folder.place("pipe"), folder.place("lost"))
            expect(mkfifo(pipe, 0o600) == 0 && symlink(folder.place("nothing"), lost) == 0)
            for path in [pipe, lost, folder.path] {
                let type = Self.type(of: path)
                let run = try daemon.storectl("metrics", "--textfile", path)
                expect(run.exit == .code(2) && run.errors.contains("\(path) is none; name another"), "\(run.errors)")
                expect(Self.type(of: path) == type)
            }
        }
    }
}
