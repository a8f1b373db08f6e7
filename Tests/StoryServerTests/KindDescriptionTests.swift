import LoopSupport
import StoryCore
import StoryServer
import TestSupport
import Testing

/// Built-in kinds as `MODELS` describes them, in the shipped loop over memory.
@Suite struct KindDescriptionTests {
    private let bench = LoopBench()

    init() {
        bench.connected("ann")
        for id in ["007", "008"] {
            _ = ask(#"POST users {"id":"\#(id)","name":"A","email":"\#(id)@example.org","prefecture":13}"#)
        }
        _ = ask(#"POST stories {"id":"1","title":"T","message":"M","sender":"007","recipient":"008"}"#)
    }

    private func ask(_ line: String) -> [String] { bench.ask(line, from: "ann") }
    private func line(_ kind: String) -> String { ask("MODELS \(kind)").first ?? "" }

    @Test func `a kind has what a declared model has: rows, fields, filters, sorts and indexes`() {
        expect(ask("MODELS stories").last == #"+ {"count":1,"position":3}"#)
        let line = line("stories")
        expect(line.hasPrefix(#"= {"model":"stories","state":"ready","rows":1,"category":"story","fields":["#))
        expect(line.contains(#"{"name":"title","type":"text(120)","optional":false}"#))
        expect(line.contains(#"{"name":"message","type":"text(10000)","lines":true,"optional":false}"#))
        let sender = #""type":"id","kind":"users","category":"user","optional":false,"label":"from"}"#
        expect(line.contains(#"{"name":"sender","# + sender))
        expect(line.contains(#"{"name":"date","type":"time","optional":false},{"name":"likes","type":"integer","#))
        expect(line.contains(#""filters":["sender","recipient"],"sorts":["date","title","likes","#))
        expect(line.contains(#""indexes":[["date"],["title"],"#) && line.contains(#"["sender","date"]"#))
        expect(line.contains(#""history":true,"computed":[],"bounds":"date","key":"1","title":"title","columns":["#))
    }

    @Test func `each write is told with the fields of its form, their types and limits`() {
        let stories = line("stories")
        expect(
            stories.contains(
                #""writes":[{"verb":"POST","key":"n","fields":[{"name":"id","type":"id","required":false,"default":"new"},"#
            ))
        expect(stories.contains(#"{"name":"title","type":"text(120)","required":true}"#))
        expect(stories.contains(#"{"name":"date","type":"time","required":false,"default":"now"}"#))
        let user = #"{"name":"user","type":"id","kind":"users","category":"user","required":true}"#
        expect(stories.contains(#"{"verb":"LIKE","key":"l","fields":[\#(user)]}"#))
        expect(stories.contains(#"{"verb":"DELETE","key":"d","fields":[]}"#))
        let users = line("users")
        expect(users.contains(#"{"name":"prefecture","type":"integer","from":1,"to":47,"required":true}"#))
        expect(!users.contains("DELETE") && users.contains(#"{"name":"email","type":"email","required":true}"#))
        let photos = line("photos")
        expect(photos.contains(#""type":"number","above":0,"required":true,"label":"ISO"}"#))
        expect(photos.contains(#""type":"number","from":-20,"to":20,"required":true,"label":"exposure","unit":"EV"}"#))
        expect(photos.contains(#""type":"choice","choices":["none","normal","redEye"],"required":false}"#))
    }

    @Test func `filters that are no fields say of which they are, and rows lead to those of other kinds`() {
        let messages = line("messages")
        let between = #""type":"pair","kind":"users","category":"user","of":["sender","recipient"]}"#
        expect(messages.contains(#""computed":[{"name":"between","# + between))
        expect(messages.contains(#"{"name":"unseen","type":"boolean","of":["seen"]}]"#))
        expect(messages.contains(#"{"key":"u","name":"sender","kind":"users","of":["sender"]}"#))
        let inbox = #""turns":[{"key":"m","name":"inbox","filter":"recipient"},"#
        expect(messages.contains(inbox + #"{"key":"M","name":"outbox","filter":"sender"}]"#))
        expect(line("users").contains(#"{"key":"p","name":"photos","kind":"photos","filter":"owner","of":["id"]}"#))
        let event = #"{"type":"MessageSeen","effect":"changes","fields":["seen"]}"#
        expect(
            messages.contains(event) && messages.contains(#"{"type":"MessageDeleted","effect":"removes","fields":[]}"#))
    }

    @Test func `MODELS alone tells of declared models, and no kind can be declared, undefined or misfit`() {
        expect(ask("MODELS") == [#"+ {"count":0,"position":3}"#])
        for line in ["UNDEFINE users", "READ misfits/users", #"DEFINE users "from a; b: number""#] {
            expect(ask(line).last?.contains(#""rule":"notSelected""#) == true, "\(line)")
        }
        expect(ask("MODELS user").last?.text("code") == "unknown")
    }
}
