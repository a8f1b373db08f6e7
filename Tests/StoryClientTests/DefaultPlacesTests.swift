import StoryCore
import TestSupport
import Testing

@Suite struct DefaultPlacesTests {
    private func places(_ environment: [String: String], hasRunDirectory: Bool = false) -> DefaultPaths<Never> {
        DefaultPaths(environment: environment, uid: 1_000, hasRunDirectory: hasRunDirectory)
    }

    @Test func `the socket is the one given, the one in the environment, or a place by rule`() {
        let all = ["STORED_SOCKET": "/e", "XDG_RUNTIME_DIR": "/x"]
        expect(places(all).socket("/given") == "/given")
        expect(places(all).socket(nil) == "/e")
        expect(places(["XDG_RUNTIME_DIR": "/x"]).socket(nil) == "/x/storykeep/stored.sock")
        expect(places([:], hasRunDirectory: true).socket(nil) == "/run/user/1000/storykeep/stored.sock")
        expect(places([:]).socket(nil) == "/tmp/storykeep-1000/stored.sock")
    }

    @Test func `the data directory is the one given, the one in the environment, or a place by rule`() {
        let all = ["STORED_DATA": "/e", "XDG_DATA_HOME": "/x", "HOME": "/h"]
        expect(places(all).data("given") == "given")
        expect(places(all).data(nil) == "/e")
        expect(places(["XDG_DATA_HOME": "/x", "HOME": "/h"]).data(nil) == "/x/storykeep")
        expect(places(["HOME": "/h"]).data(nil) == "/h/.local/share/storykeep")
        expect(places([:]).data(nil) == nil)
    }

    @Test func `what programs keep has a place by rule`() {
        expect(places(["XDG_STATE_HOME": "/x", "HOME": "/h"]).state() == "/x/storykeep")
        expect(places(["XDG_STATE_HOME": "x", "HOME": "/h"]).state() == "/h/.local/state/storykeep")
        expect(places([:]).state() == nil)
    }

    @Test func `a variable that no text can be made of is refused where it is needed, and nowhere else`() throws {
        let paths = DefaultPaths(uid: 1_000, hasRunDirectory: false) { name throws(NotUTF8) in
            switch name {
            case "HOME", "STORED_SOCKET": try SystemText.read([0x2F, 0xE9], of: name)
            case "XDG_DATA_HOME": "/x"
            default: nil
            }
        }
        expect(try paths.data(nil) == "/x/storykeep")
        expect(try paths.socket("/given") == "/given")
        #expect(throws: NotUTF8.self) { try paths.socket(nil) }
        #expect(throws: NotUTF8.self) { try paths.state() }
    }

    @Test func `empty and relative values count as absent`() {
        expect(places(["STORED_SOCKET": "", "XDG_RUNTIME_DIR": "x"]).socket(nil) == "/tmp/storykeep-1000/stored.sock")
        let empty = ["STORED_DATA": "", "XDG_DATA_HOME": "x", "HOME": "/h"]
        expect(places(empty).data(nil) == "/h/.local/share/storykeep")
    }
}
