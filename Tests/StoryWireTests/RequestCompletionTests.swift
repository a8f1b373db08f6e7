import StoryCore
import StoryWire
import TestSupport
import Testing

@Suite struct RequestCompletionTests {
    private let completion = RequestCompletion(.standard)

    @Test(arguments: [
        ("", "LI", ["LIST", "LIKE"]), ("", "cou", ["count"]), ("@a1 ", "SO", ["SORTS"]),
        ("GET ", "st", ["stories/"]), ("list ", "", ["users", "stories", "messages", "photos"]),
        ("EDIT ", "m", []), ("LIKE ", "", ["stories/"]), ("SUBSCRIBE ", "u", ["users"]),
        ("READ ", "ev", ["events", "events/"]), ("HELP ", "ver", ["verify"]),
        ("LIST stories ", "s", ["sort=", "sender=", "since="]), ("LIST users ", "pre", ["prefecture="]),
        ("LIST stories sort=", "ti", ["title"]), ("LIST stories order=", "", ["asc", "desc"]),
        ("LIST messages unseen=", "f", ["false"]), ("LIST stories sender=", "", []),
        ("READ events types=StoryPosted,", "StoryL", ["StoryLiked"]),
        ("POST users {\"", "", ["id\":", "name\":", "email\":", "prefecture\":"]),
        ("POST stories {\"title\":\"A\", \"", "m", ["message\":"]), ("LIKE stories/1 {\"", "", ["user\":"]),
        ("EDIT photos/1 {\"", "e", ["exposureValue\":", "exposureDuration\":"]),
        ("APPEND n-1 {\"", "t", ["type\":", "tags\":"]), ("POST users {\"name\":\"", "na", []),
        ("PING ", "", []), ("NOPE ", "", []), ("BACKUP ", "", []), ("POST nobody {\"", "", []),
    ])
    func `what may stand next`(line: String, word: String, expected: [String]) {
        #expect(Set(completion.words(after: line, word)) == Set(expected))
    }

    @Test func `every verb and every kind's filters can be completed`() {
        for shape in RequestTable.standard.shapes {
            let verb = shape.verb.rawValue
            #expect(completion.words(after: "", verb).contains(verb))
            for kind in shape.kinds where shape.takesFilters {
                for filter in kind.filters {
                    #expect(completion.words(after: "\(verb) \(kind.name) ", filter.name) == ["\(filter.name)="])
                }
            }
        }
    }
}
