import Foundation
import Glibc
import TestSupport
import Testing

/// The browser on a terminal, with the real daemon.
@Suite(.timeLimit(.minutes(10))) struct BrowseTests {
    private func daemon() throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        for (id, name) in [("007", "Aya"), ("008", "Ben")] {
            try client.expect(
                #"POST users {"id":"\#(id)","name":"\#(name)","email":"\#(id)@example.org","prefecture":13}"#)
        }
        return daemon
    }

    private func post(_ id: String, _ title: String, to daemon: RunningDaemon) throws {
        let form =
            #"{"id":"\#(id)","title":"\#(title)","message":"Once upon a time.","sender":"007","recipient":"008"}"#
        try daemon.client().expect("POST stories \(form)")
    }

    @Test func `stories are shown newest first, and one that arrives at the top`() throws {
        let daemon = try daemon()
        try post("1", "Spring", to: daemon)
        try post("2", "Summer", to: daemon)
        let run = try BrowserRun(daemon)
        try run.shows("both are listed") { screen in
            screen.lines[3].contains("Summer") && screen.lines[4].contains("Spring") && screen.lines[3].hasPrefix("▸")
        }
        try post("3", "Autumn", to: daemon)
        try run.shows("the third is above them, and the selection stays") { screen in
            screen.lines[3].contains("Autumn") && screen.lines[4].hasPrefix("▸") && screen.lines[4].contains("Summer")
        }
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
        run.expectRestored()
    }

    @Test func `a story's page shows its past, its sender and the conversation, and one comes back`() throws {
        let daemon = try daemon()
        try post("1", "Spring", to: daemon)
        let client = try daemon.client()
        try client.expect(#"EDIT stories/1 {"title":"Summer"}"#)
        try client.expect(#"LIKE stories/1 {"user":"008"}"#)
        try client.expect(#"POST messages {"text":"How was it?","sender":"008","recipient":"007","story":"1"}"#)
        let run = try BrowserRun(daemon)
        try run.shows("Summer")
        run.terminal.type("\r")
        try run.shows("the page as it is now") { screen in
            screen.lines[2] == "title         Summer" && screen.lines[6] == "likes         1"
                && screen.lines[21].hasSuffix("3/3") && screen.lines[20].contains("StoryLiked")
        }
        run.terminal.type("\u{1B}[D\u{1B}[D")
        try run.shows("the page as it was at first") { screen in
            screen.lines[1].hasPrefix("as it was at version 1, position 3") && screen.lines[2] == "title         Spring"
                && screen.lines[6] == "likes         0" && screen.lines[21].hasPrefix("├●")
        }
        try client.expect(#"EDIT stories/1 {"title":"Autumn"}"#)
        run.terminal.type("\u{1B}[F")
        try run.shows("now, with what came meanwhile") { $0.lines[2] == "title         Autumn" }
        run.terminal.type("u")
        try run.shows("the sender") { $0.lines[0].contains("story 1 › user 007") && $0.lines[2] == "name          Aya" }
        run.terminal.type("\u{7F}c")
        try run.shows("the conversation") { screen in
            screen.lines[1].hasPrefix("between=007,008") && screen.lines[3].contains("How was it?")
        }
        run.terminal.type("v")
        try run.shows("it was seen") { $0.lines[3].contains("yes") }
        run.terminal.type("\u{1B}")
        try run.shows("the story again") {
            $0.lines[0].hasPrefix(" stories › story 1 ") && $0.lines[2].contains("Autumn")
        }
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
        run.expectRestored()
    }

    @Test func `a form shows each wrong field, and posts what is right`() throws {
        let daemon = try daemon()
        let run = try BrowserRun(daemon, arguments: ["stories", "--as", "007"])
        try run.shows("nothing here")
        run.terminal.type("n")
        try run.shows("a new story")
        run.terminal.type("\tOnce upon a time.\t\t009\r")
        try run.shows("both errors beside their fields") { screen in
            screen.lines[3].hasPrefix("▸ title") && screen.lines[4].contains("✗") && screen.lines[8].hasSuffix("")
                && screen.lines[9].contains("009") && screen.lines[10].contains("✗") && !screen.lines[6].contains("✗")
        }
        run.terminal.type("Winter\t\t\t\u{15}008\r")
        try run.shows("it is posted, and in the list") { screen in
            screen.lines[22].hasPrefix(" posted: story-") && screen.lines[3].contains("Winter")
        }
        run.terminal.type("l")
        try run.shows("it is liked") { $0.lines[3].hasSuffix(" 1") && $0.lines[22].contains("done: story-") }
        run.terminal.type("e\u{15}Winter 2\r")
        try run.shows("it is revised") { $0.lines[3].contains("Winter 2") && $0.lines[3].hasSuffix(" 1") }
        run.terminal.type("2n")
        try run.shows("a new user")
        run.terminal.type("\t\t007@example.org\t99\r")
        try run.shows("a taken address is not told before the rest is right") { $0.lines[6].contains("✗") }
        run.terminal.type("\u{1B}\u{1B}q")
        expect(try run.terminal.wait() == 0)
        run.expectRestored()
    }

    @Test func `rows tell names, also new ones, and are deleted once that is confirmed`() throws {
        let daemon = try daemon()
        try post("1", "Spring", to: daemon)
        try post("2", "Summer", to: daemon)
        let run = try BrowserRun(daemon)
        try run.shows("names in the list") { $0.lines[3].contains(" Aya ") && $0.lines[4].contains(" Ben ") }
        try daemon.client().expect(#"EDIT users/008 {"name":"Bo"}"#)
        try run.shows("the new name") { $0.lines[3].contains(" Aya ") && $0.lines[3].contains(" Bo ") }
        run.terminal.type("\r")
        try run.shows("names on the page") {
            $0.lines[3] == "from          Aya (007)" && $0.lines[4].hasSuffix("Bo (008)")
        }
        run.terminal.type("d")
        try run.shows("the question") { $0.lines[1] == "delete story 2?" && $0.lines[3] == "title         Summer" }
        try daemon.client().expect(#"LIKE stories/2 {"user":"008"}"#)
        run.terminal.type("y")
        try run.shows("it has changed") {
            $0.lines[22] == " changed meanwhile (version 2). y deletes it, n keeps it"
                && $0.lines[7] == "likes         1"
        }
        run.terminal.type("y")
        try run.shows("it is gone") {
            $0.lines[1] == "deleted" && $0.lines[2] == "story 2 was deleted; its history remains"
                && $0.lines[22].hasPrefix(" deleted: ")
        }
        run.terminal.type("\u{1B}")
        try run.shows("the other one is left") { $0.lines[3].contains("Spring") && !$0.lines[4].contains("Summer") }
        run.terminal.type("dn")
        try run.shows("it is there still") { $0.lines[3].contains("Spring") && $0.lines[1].hasPrefix("all") }
        expect(try daemon.client().ask("COUNT stories").hasPrefix(#"+ {"count":1,"#))
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
    }

    @Test func `who revises what somebody else revised meanwhile keeps what he typed`() throws {
        let daemon = try daemon()
        try post("1", "Spring", to: daemon)
        let run = try BrowserRun(daemon)
        try run.shows("Spring")
        run.terminal.type("e")
        try run.shows("edit story 1")
        run.terminal.type("\u{15}Mine")
        try daemon.client().expect(#"EDIT stories/1 {"title":"Theirs","message":"Another end."}"#)
        run.terminal.type("\r")
        try run.shows("mine, theirs, and the message as it is now") { screen in
            screen.lines[3].contains("Mine") && screen.lines[4].hasSuffix("now: Theirs")
                && screen.lines[5].hasSuffix("Another end.")
                && screen.lines[22] == " changed meanwhile (version 2). Enter overwrites, Esc keeps theirs"
        }
        run.terminal.type("\r")
        try run.shows("it is revised") {
            $0.lines[3].contains("Mine") && $0.lines[22].contains("revised: story-1 version 3")
        }
        let row = try daemon.client().ask("GET stories/1")
        expect(row.text("title") == "Mine" && row.text("message") == "Another end.")
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
    }

    @Test func `lists are filtered and sorted, and other orders are live too`() throws {
        let daemon = try daemon()
        for (id, title) in [("1", "b"), ("2", "c"), ("3", "a")] { try post(id, title, to: daemon) }
        let run = try BrowserRun(daemon)
        try run.shows("newest first") { $0.lines[3].contains(" a ") && $0.lines[5].contains(" b ") }
        run.terminal.type("s")
        try run.shows("by title") { $0.lines[1].contains("by title, ascending") && $0.lines[4].contains(" b ") }
        try post("4", "aa", to: daemon)
        try run.shows("the new one in its place") { $0.lines[4].contains(" aa ") && $0.lines[5].contains(" b ") }
        run.terminal.type("ss")
        try run.shows("by sender") { $0.lines[1].contains("by sender, ascending") && $0.lines[3].contains(" b ") }
        run.terminal.type("/\t007\r")
        try run.shows("nobody wrote to 007") {
            $0.lines[1].hasPrefix("recipient=007") && $0.lines[3].contains("nothing here")
        }
        run.terminal.type("4")
        try run.shows("photos") { $0.lines[0].hasPrefix(" photos ") && $0.lines[2].contains("ISO") }
        run.terminal.type("n007\t100\t\t0\t\t1/125\r")
        try run.shows("a photo is added") { $0.lines[3].contains("Aya") && $0.lines[3].hasSuffix("1/125") }
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
    }

    @Test func `wide characters and what would move the cursor stay in their places, at every size`() throws {
        let daemon = try daemon()
        try post("1", "長い題名がとても長いので切られるはず👍 e\u{301}", to: daemon)
        try daemon.client().expect(
            #"POST stories {"title":"right","message":"a\n日本語\tb","sender":"007","recipient":"008"}"#)
        let run = try BrowserRun(daemon)
        try run.shows("both are listed") { screen in
            screen.lines[3].contains("right") && screen.lines[4].contains("長い題名") && screen.lines[4].hasSuffix("0")
                && screen.overruns == 0
        }
        try run.resize(columns: 100, rows: 30)
        try run.shows("a larger screen", rows: 30, columns: 100) { screen in
            screen.lines[29].contains("quit") && screen.lines[0].hasSuffix("position 4") && screen.overruns == 0
        }
        try run.resize(columns: 60, rows: 20)
        try run.shows("too small", rows: 20, columns: 60) { $0.lines[0].contains("this terminal is 60×20") }
        try run.resize(columns: 80, rows: 24)
        try run.shows("as it was") { $0.lines[23].contains("quit") && $0.lines[4].contains("長い題名") }
        run.terminal.type("\r")
        try run.shows("日本語    b")
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
        run.expectRestored()
    }

    @Test func `how long each update took is appended to a file`() throws {
        let daemon = try daemon()
        let file = daemon.folder.place("timings")
        let run = try BrowserRun(daemon, arguments: ["stories", "--timings", file])
        try run.shows("nothing here")
        run.terminal.type("jq")
        expect(try run.terminal.wait() == 0)
        let names = Files.text(file).split(separator: "\n").map { $0.prefix { $0 != " " } }
        expect(names.first == "resized" && names.contains("key.character") && names.contains("screen.story.list"))
    }

    @Test(arguments: [(SIGTERM, 130), (SIGHUP, 130), (SIGINT, 130)] as [(Int32, Int32)])
    func `the terminal is as it was after a signal`(signal: Int32, code: Int32) throws {
        let run = try BrowserRun(try daemon())
        try run.shows("nothing here")
        expect(!run.terminal.isPlain && run.screen().isOnSecondPage)
        kill(run.pid, signal)
        expect(try run.terminal.wait() == code)
        run.expectRestored()
    }

    @Test func `the terminal is as it was after Ctrl-C, and after two signals at once`() throws {
        let daemon = try daemon()
        let run = try BrowserRun(daemon)
        try run.shows("nothing here")
        run.terminal.type("\u{3}")
        expect(try run.terminal.wait() == 130)
        run.expectRestored()
        let hurried = try BrowserRun(daemon)
        try hurried.shows("nothing here")
        kill(hurried.pid, SIGTERM)
        kill(hurried.pid, SIGINT)
        expect(try hurried.terminal.wait() == 130)
        hurried.expectRestored()
    }

    @Test func `a terminal that nobody reads holds up neither a signal nor its own settings`() throws {
        let run = try BrowserRun(try daemon())
        try run.shows("nothing here")
        for _ in 0..<400 {
            run.terminal.type("?")
            usleep(2_000)
        }
        kill(run.pid, SIGTERM)
        // Nothing is read here, so that the terminal stays as full as it is.
        try until("the browser ends") { Files.text("/proc/\(run.pid)/stat").contains(") Z ") }
        expect(run.terminal.isPlain)
        expect(try run.terminal.wait() == 130)
    }

    @Test func `a store that goes away is told, and that it is there again`() throws {
        let daemon = try daemon()
        try post("1", "Spring", to: daemon)
        let run = try BrowserRun(daemon)
        try run.shows("Spring")
        try daemon.kill()
        try run.shows("connection lost")
        try daemon.start()
        try run.shows("connected again")
        try post("2", "Summer", to: daemon)
        try run.shows("Summer")
        try daemon.kill()
        try run.shows("connection lost")
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
        run.expectRestored()
    }

    @Test func `what is no terminal is refused, and a store that is not there is told on the first page`() throws {
        let daemon = try daemon()
        let piped = try daemon.storectl("browse")
        expect(piped.exit == .code(2) && piped.output.isEmpty && piped.errors.contains("browse needs a terminal"))
        let nobody = try BrowserRun(daemon, arguments: ["--as", "nobody"])
        expect(try nobody.terminal.wait() == 1)
        expect(nobody.terminal.screen.contains("there is no users/nobody"))
        try daemon.kill()
        let run = try BrowserRun(daemon)
        expect(try run.terminal.wait() == 2)
        expect(run.terminal.screen.contains("cannot connect") && !run.terminal.screen.contains("\u{1B}[?1049h"))
        run.expectRestored()
    }
}
