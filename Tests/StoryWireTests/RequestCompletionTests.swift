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
        ("MODELS ", "", ["users", "stories", "messages", "photos"]),
        ("READ ", "ev", ["events", "events/"]), ("HELP ", "ver", ["verify"]),
        ("COUNT ", "", ["events", "events/", "users", "stories", "messages", "photos"]),
        ("COUNT events/note-* ", "", ["from=", "to=", "types=", "tags=", "query=", "log=", "min="]),
        ("COUNT orders ", "", ["sort=", "order=", "min="]),
        ("LIST orders ", "", ["sort=", "order=", "limit=", "after=", "min="]), ("SUBSCRIBE orders ", "", ["min="]),
        ("COUNT users ", "", ["prefecture=", "email=", "since=", "until=", "min="]),
        ("LIST stories ", "s", ["sort=", "sender=", "since="]), ("LIST users ", "pre", ["prefecture="]),
        ("LIST stories sort=", "ti", ["title"]), ("LIST stories order=", "", ["asc", "desc"]),
        ("LIST messages unseen=", "f", ["false"]), ("LIST stories sender=", "", []),
        ("READ events types=StoryPosted,", "StoryL", ["StoryLiked"]),
        ("POST users {\"", "", ["id\":", "name\":", "email\":", "prefecture\":"]),
        ("POST stories {\"title\":\"A\", \"", "m", ["message\":"]), ("LIKE stories/1 {\"", "", ["user\":"]),
        ("EDIT photos/1 {\"", "e", ["exposureValue\":", "exposureDuration\":"]),
        ("APPEND n-1 {\"", "t", ["type\":", "tags\":"]), ("POST users {\"name\":\"", "na", []),
        ("CLUSTER ", "", ["promote", "remove"]), ("CLUSTER promote ", "", []),
        ("ERASE ", "", ["events", "events/"]), ("ERASE events/note-1 ", "re", ["reason="]),
        ("ERASE events dry=", "", ["true", "false"]), ("ERASURES ", "", ["after=", "limit=", "min="]),
        ("PING ", "", ["min="]), ("NOPE ", "", []), ("BACKUP ", "", []), ("POST nobody {\"", "", []),
    ])
    func `what may stand next`(line: String, word: String, expected: [String]) {
        expect(Set(completion.words(after: line, word)) == Set(expected))
    }

    @Test func `every verb and every kind's filters can be completed`() {
        for shape in RequestTable.standard.shapes {
            let verb = shape.verb.name
            expect(completion.words(after: "", verb).contains(verb))
            for kind in shape.kinds where shape.takesFilters {
                for filter in kind.filters {
                    expect(completion.words(after: "\(verb) \(kind.name) ", filter.name) == ["\(filter.name)="])
                }
            }
        }
    }

    @Test(
        arguments: [
            ("GET ", "stories/1", WantedNames(.rows(category: "story"), lead: "stories/", beginning: "1")),
            ("SUBSCRIBE ", "users/", WantedNames(.rows(category: "user"), lead: "users/", beginning: "")),
            ("@a like ", "stories/", WantedNames(.rows(category: "story"), lead: "stories/", beginning: "")),
            ("LIKE ", "users/7", nil), ("LIST ", "stories/", nil),
            ("GET ", "or", WantedNames(.models, beginning: "or", tail: "/")),
            ("LIST ", "or", WantedNames(.models, beginning: "or")), ("SORTS ", "", WantedNames(.models, beginning: "")),
            ("COUNT ", "o", WantedNames(.models, beginning: "o")),
            ("COUNT ", "events/o", WantedNames(.streams(areOfUsers: false), lead: "events/", beginning: "o")),
            ("COUNT events/note-* types=", "", WantedNames(.types(of: "events/note-*"), beginning: "")),
            ("SUBSCRIBE ", "or", WantedNames(.models, beginning: "or")), ("POST ", "or", nil), ("EDIT ", "or", nil),
            ("LIST orders ", "st", WantedNames(.filters(of: "orders"), beginning: "st", tail: "=")),
            ("COUNT orders sort=", "t", WantedNames(.sorts(of: "orders"), beginning: "t")),
            ("LIST orders status=", "pl", WantedNames(.values(of: "status", model: "orders"), beginning: "pl")),
            ("LIST orders limit=", "", nil), ("EDIT ", "orders/9", nil),
            ("GET ", "orders/9", WantedNames(.ids(of: "orders"), lead: "orders/", beginning: "9")),
            ("SUBSCRIBE ", "orders/", WantedNames(.ids(of: "orders"), lead: "orders/", beginning: "")),
            ("READ ", "misfits/o", WantedNames(.models, lead: "misfits/", beginning: "o")),
            ("UNDEFINE ", "o", WantedNames(.models, beginning: "o")),
            ("MODELS ", "", WantedNames(.models, beginning: "")),
            ("CLUSTER remove ", "n", WantedNames(.nodes, beginning: "n")), ("CLUSTER ", "n", nil),
            ("TYPES ", "no", WantedNames(.categories, beginning: "no", tail: "-*")),
            ("READ ", "events/no", WantedNames(.streams(areOfUsers: false), lead: "events/", beginning: "no")),
            ("STREAMS ", "note-1", WantedNames(.streams(areOfUsers: false), beginning: "note-1")),
            ("APPEND ", "no", WantedNames(.streams(areOfUsers: true), beginning: "no")),
            ("LIST stories sender=", "00", WantedNames(.rows(category: "user"), beginning: "00")),
            ("COUNT messages between=007,", "", WantedNames(.rows(category: "user"), beginning: "")),
            ("LIST messages story=\"", "1", WantedNames(.rows(category: "story"), beginning: "1", tail: "\"")),
            ("LIST users sender=", "0", nil), ("GET stories/1 sender=", "", nil), ("LIST users email=", "a", nil),
            ("READ events types=A,", "B", WantedNames(.types(of: "events"), beginning: "B")),
            ("READ events/note-* types=", "", WantedNames(.types(of: "events/note-*"), beginning: "")),
            ("POST stories {\"sender\":\"", "0", WantedNames(.rows(category: "user"), beginning: "0", tail: "\"")),
            ("LIKE stories/1 {\"user\" : \"", "", WantedNames(.rows(category: "user"), beginning: "", tail: "\"")),
            ("POST stories {\"title\":\"", "0", nil), ("POST stories {\"sender\":\"7\",\"", "re", nil),
            ("APPEND note-1 {\"type\":\"", "W", WantedNames(.types(of: "events/note-*"), beginning: "W", tail: "\"")),
            ("APPEND * [{\"type\":\"", "", WantedNames(.types(of: "events"), beginning: "", tail: "\"")),
            ("APPEND * [{\"stream\":\"", "n", WantedNames(.streams(areOfUsers: true), beginning: "n", tail: "\"")),
            ("GET stories/1 ", "a", nil), ("PING ", "", nil), ("", "GE", nil), ("NOPE ", "stories/", nil),
        ] as [(String, String, WantedNames?)])
    func `which names of the store may stand next`(line: String, word: String, expected: WantedNames?) {
        expect(completion.names(after: line, word) == expected)
    }
}
