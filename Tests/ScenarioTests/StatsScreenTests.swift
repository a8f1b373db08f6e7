import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// `storectl stats` for a person: one screen, once or live.
    @Suite struct StatsScreenTests {
        private let daemon: RunningDaemon

        init() throws { daemon = try RunningDaemon() }

        private func terminal(_ words: String..., term: String = "xterm") throws -> Pseudoterminal {
            try Pseudoterminal(
                [try Program.path("storectl"), "--socket", daemon.socket, "stats"] + words,
                environment: ["TERM=\(term)"] + SanitizerSettings.environment)
        }

        @Test func `it is one screen with units, without a sequence, and all of it where that is asked for`() throws {
            let client = try daemon.client()
            for verb in [
                "PING", "HELP", "LIST users", "COUNT users", "STREAMS", "READ events", "SORTS users", "GET users/1",
                "CHECKPOINT", #"APPEND n-1 {"type":"T","data":1}"#, "SUBSCRIBE events", "UNSUBSCRIBE 1", "VERIFY",
                #"POST users {"id":"1","name":"N","email":"a@example.org","prefecture":3}"#,
                #"EDIT users/1 {"name":"M"}"#, "SEE messages/1", "DELETE stories/1", #"LIKE stories/1 {"user":"1"}"#,
            ] { _ = try client.ask(verb) }
            let shown = try terminal()
            expect(try shown.wait() == 0)
            let lines = shown.screen.split(separator: "\r\n", omittingEmptySubsequences: false)
            expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 } && !shown.screen.contains("\u{1B}"))
            expect(shown.screen.contains(#/\r\nmemory +[0-9.]+ MiB, buffered /#), "\(shown.screen)")
            expect(
                shown.screen.contains(#/\r\nposition +3, /#)
                    && shown.screen.contains(#/, slowest lag [0-9]+ events\r\n/#))
            expect(shown.screen.contains(#/\r\nrequests +count +p50 +p99 +p99\.9\r\n/#))
            expect(shown.screen.contains(#/\r\nand [0-9]+ more verbs; storectl stats --all has them\r\n$/#))
            let all = try daemon.storectl("stats", "--all").output
            expect(all.contains("\nfolds\n") && all.contains("  eventsPerSecond") && all.contains("\nuptime "))
            let json = try daemon.storectl("--json", "stats").output
            expect(json.hasPrefix(#"{"server":"#) && json.contains(#""sizes":{"log":"#))
            let piped = try daemon.storectl("stats").output
            expect(piped.contains(#/^stored\/[^ ]+ at [^ ]+, up [0-9]/#) && !piped.contains("\u{1B}"))
        }

        @Test func `watched it is drawn over itself, with rates, until q`() throws {
            let page = try terminal("--watch")
            try page.shows("the position") { screen in
                screen.lines.contains { $0.hasPrefix("position     0,") } && screen.isOnSecondPage
            }
            expect(!page.isPlain && !page.shown.hasCursor)
            try daemon.client().expect(#"APPEND n-1 {"type":"T","data":1}"#)
            try page.shows("the new position, below it requests a second") { screen in
                screen.lines.contains { $0.hasPrefix("position     1,") }
                    && screen.lines.contains { $0.hasPrefix("requests ") && $0.contains("/s") }
                    && screen.lines[23] == "q quit" && screen.overruns == 0
            }
            page.type("q")
            expect(try page.wait() == 0)
            expect(page.isPlain && !page.shown.isOnSecondPage && page.shown.hasCursor)
        }

        @Test func `Ctrl-C ends it as an interruption, and a store that went away is waited for`() throws {
            let page = try terminal("--watch")
            try page.shows("the position") { screen in screen.lines.contains { $0.hasPrefix("position     0,") } }
            try daemon.kill()
            try page.shows("the loss") {
                $0.lines[23].hasPrefix("no store answers (") && $0.lines.contains { $0.hasPrefix("position     0,") }
            }
            try daemon.start()
            try page.shows("the store again") { $0.lines[23] == "q quit" }
            page.type("\u{3}")
            expect(try page.wait() == 130)
            expect(page.isPlain && !page.shown.isOnSecondPage && page.shown.hasCursor)
        }

        @Test func `where nothing can be drawn over, it is written again below`() throws {
            let plain = try terminal("--watch", term: "dumb")
            try plain.waitFor("\r\n\r\nstored/")
            plain.type("\u{3}")
            expect(try plain.wait() == 130)
            expect(!plain.screen.contains("\u{1B}"))
            let nobody = try RunningDaemon(isStarted: false)
            let lost = try nobody.storectl("stats", "--watch")
            expect(lost.exit == .code(2) && lost.errors.contains("cannot connect"))
        }
    }
}
