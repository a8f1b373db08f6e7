import Foundation
import StoryClient
import TestSupport
import Testing

@Suite struct ContentTests {
    @Test(arguments: ["stories/12345", "store://stories/12345"])
    func `an address is a kind and an ID`(text: String) throws {
        let address = try require(ContentAddress(text))
        expect(address.kind == .stories)
        expect(address.description == "stories/12345")
    }

    @Test(arguments: ["stories", "stories/", "storys/1", "stories/1/2", "http://stories/1", "stories/a b", "/1", ""])
    func `other text is no address`(text: String) {
        expect(ContentAddress(text) == nil)
    }

    @Test func `content arrives typed, each kind by its provider`() async throws {
        let server = try ScriptedStore.answering { line in
            switch line {
            case "GET users/007":
                #"+ {"id":"007","version":1,"position":4,"name":"彩花","email":"a@b.c","prefecture":13,"#
                    + #""date":"2026-11-20T12:34:56.789Z"}"# + "\n"
            case "GET messages/9876":
                #"+ {"id":"9876","version":2,"position":9,"text":"hi","sender":"007","recipient":"008","#
                    + #""date":"2026-11-20T12:34:56.789Z","seen":true}"# + "\n"
            default: "- {\"code\":\"syntax\",\"message\":\"what?\"}\n"
            }
        }
        let client = StoreClient(server.address)
        guard case .user(let user) = try await client.content(at: require(ContentAddress("users/007"))) else {
            Issue.record("this is not a user")
            return
        }
        expect((user.name, user.prefecture, user.position) == ("彩花", 13, 4))
        expect(abs(user.date.timeIntervalSince1970 - 1_795_178_096.789) < 0.000_5)
        let message = try await MessageProvider(client).content(require(ContentID("9876")))
        expect(message.seen && message.story == nil)
    }

    @Test func `what is missing, deleted, refused or unreadable are four errors`() async throws {
        let server = try ScriptedStore.answering { line in
            switch line {
            case "GET stories/1": "- {\"code\":\"notFound\",\"message\":\"m\"}\n"
            case "GET stories/2": "- {\"code\":\"gone\",\"message\":\"m\"}\n"
            case "GET stories/3": "- {\"code\":\"denied\",\"message\":\"m\"}\n"
            default: "+ {\"id\":4}\n"
            }
        }
        let provider = StoryProvider(StoreClient(server.address))
        var errors: [ContentError] = []
        for number in 1...4 {
            guard case .failed(let error) = await provider.load(try require(ContentID("\(number)"))) else { continue }
            errors.append(error)
        }
        try require(errors.count == 4)
        expect(errors[0] == .notFound)
        expect(errors[1] == .gone)
        expect(errors[2] == .store(.denied(message: "m")))
        expect(errors[3] == .notUnderstood("{\"id\":4}"))
    }

    @Test func `a state shows its content once it is loaded`() {
        expect(Loadable<Int>.loading.content == nil)
        expect(Loadable.loaded(5).content == 5)
    }
}
