import TestSupport
import Testing

/// Users by their names in the browser, with the real daemon.
@Suite(.timeLimit(.minutes(10))) struct BrowsePeopleTests {
    @Test func `users are found by name, address and ID, and their messages by who sent them`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        for (id, name) in [("007", "Aya Sato"), ("008", "Ben Ito"), ("009", "Ayumi")] {
            let form = #"{"id":"\#(id)","name":"\#(name)","email":"mail\#(id)@example.org","prefecture":13}"#
            try client.expect("POST users \(form)")
        }
        let run = try BrowserRun(daemon)
        try run.shows("nothing here")
        run.terminal.type("3nHello\tITO")
        try run.shows("who has a name with that word") {
            $0.lines[6].hasSuffix("Ben Ito (008)  mail008@example.org") && $0.lines[23].contains("Enter take")
        }
        run.terminal.type("\t")
        try run.shows("the ID, and the name below") {
            $0.lines[5].hasSuffix(" 008") && $0.lines[6].hasSuffix(" Ben Ito")
        }
        run.terminal.type("\tay")
        try run.shows("both") { $0.lines[8].contains("Aya Sato (007)") && $0.lines[9].contains("Ayumi (009)") }
        run.terminal.type("\u{1B}[B\r")
        try run.shows("the second") { $0.lines[7].hasSuffix(" 009") }
        run.terminal.type("\u{15}MAIL007@")
        try run.shows("by address") { $0.lines[8].contains("Aya Sato (007)") }
        run.terminal.type("\r")
        try run.shows("taken") { $0.lines[7].hasSuffix(" 007") }
        run.terminal.type("\r")
        try run.shows("it is sent, and names are in the list") {
            $0.lines[3].contains("Ben Ito") && $0.lines[3].contains("Aya Sato") && $0.lines[3].contains("Hello")
        }
        run.terminal.type("u")
        try run.shows("the sender") { $0.lines[2] == "name          Ben Ito" }
        run.terminal.type("M")
        try run.shows("those that the sender sent") {
            $0.lines[1].hasPrefix("sender=008 (Ben Ito)") && $0.lines[3].contains("Hello")
        }
        run.terminal.type("m")
        try run.shows("those that the sender received") {
            $0.lines[1].hasPrefix("recipient=008 (Ben Ito)") && $0.lines[3].contains("nothing here")
        }
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
        run.expectRestored()
    }
}
