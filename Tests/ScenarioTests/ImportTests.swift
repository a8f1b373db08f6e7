import TestSupport
import Testing

extension DaemonTests {
    /// Events that were written elsewhere, and that the models must be able to use.
    @Suite struct ImportTests {
        private static func event(_ position: Int, _ stream: String, _ version: Int, _ type: String, _ data: String)
            -> String
        {
            #"{"position":\#(position),"stream":"\#(stream)","version":\#(version),"type":"\#(type)","#
                + #""time":"2026-01-01T00:00:00.001Z","by":0,"data":\#(data)}"#
        }
        private static func user(_ position: Int, _ id: String, _ email: String) -> String {
            event(position, "user-\(id)", 1, "UserSignedUp", #"{"name":"A","email":"\#(email)","prefecture":1}"#)
        }
        private static let first = user(1, "1", "a@example.org")

        @Test(arguments: [
            (event(2, "message-1", 1, "MessageSeen", "{}"), "MessageSeen is no first event of message-1"),
            (event(2, "user-1", 2, "UserVanished", "{}"), "user-1 knows no event UserVanished with this data"),
            (event(2, "user-2", 1, "UserSignedUp", #"{"name":"B"}"#), "user-2 knows no event UserSignedUp with this"),
            (event(2, "story-1", 1, "StoryDeleted", "{}"), "StoryDeleted is no first event of story-1"),
            (
                event(2, "user-1", 2, "UserSignedUp", #"{"name":"B","email":"b@example.org","prefecture":1}"#),
                "UserSignedUp changes nothing in user-1, as it is after the events before"
            ),
        ])
        func `what no model can use is refused with its line, unless it is asked for`(line: String, says: String) throws
        {
            let daemon = try RunningDaemon()
            let (place, forced) = (daemon.folder.place("imported"), daemon.folder.place("forced"))
            let refused = try daemon.storectl("--data", place, "import", input: Self.first + "\n" + line)
            expect(refused.exit == .code(1) && refused.output.isEmpty, "\(refused.output)")
            expect(
                refused.errors.contains("line 2: \(says)") && refused.errors.contains("--force"), "\(refused.errors)")
            expect(!Files.exists(place))
            let run = try daemon.storectl("--data", forced, "import", "--force", input: Self.first + "\n" + line)
            expect(run.exit == .code(0), "\(run.errors)")
            expect(run.output == "imported: 2 events, of which no model uses 1\n")
            expect(try daemon.storectl("--data", forced, "count", "users").output.contains("1"))
        }

        private static let faulty = "from o\\nn: number = 0\\non A { n += * data.v }"
        private static let good = "from o\\nn: number = 0\\non A { n += data.v }"
        private static func defined(_ position: Int, _ name: String, _ text: String, number: Int = 1) -> String {
            event(
                position, "model-\(name)", number, "ModelDefined",
                #"{"definition":\#(number),"language":1,"text":"\#(text)"}"#)
        }
        private static func activated(_ position: Int, _ name: String, version: Int = 2) -> String {
            event(
                position, "model-\(name)", version, "ModelActivated", #"{"definition":1,"rows":0,"misfits":0}"#)
        }

        @Test(arguments: [
            (defined(2, "m", faulty), "definition 1 of m: 3:13: malformed: "),
            (defined(2, "users", good), "there can be no model users: users is a name of the store's own"),
            (event(2, "model-p", 1, "ModelWished", "{}"), "a model has no event ModelWished"),
            (activated(2, "m", version: 1), "ModelActivated is of no definition of m, as it is after the events"),
            (event(2, "model-m", 1, "ModelUndefined", "{}"), "there is no model m to undefine"),
            (event(2, "model-m", 1, "ModelDefined", "{}"), "ModelDefined has no number above those of the definitions"),
            (event(2, "model-a.b", 1, "ModelUndefined", "{}"), "there can be no model a.b: a model's name is a letter"),
        ])
        func `an event that declares no model that can be served is refused with its line`(line: String, says: String)
            throws
        {
            let daemon = try RunningDaemon()
            let place = daemon.folder.place("imported")
            let refused = try daemon.storectl("--data", place, "import", input: Self.first + "\n" + line)
            expect(refused.exit == .code(1) && refused.errors.contains("line 2: \(says)"), "\(refused.errors)")
            expect(refused.errors.contains("--force") && !Files.exists(place))
            let forced = try daemon.storectl("--data", place, "import", "--force", input: Self.first + "\n" + line)
            expect(forced.output == "imported: 2 events, of which no model uses 1\n", "\(forced.errors)")
        }

        @Test func `a definition that cannot be served fails alone`() throws {
            let other = try RunningDaemon()
            let place = other.folder.place("imported")
            let lines = [
                Self.defined(1, "m", Self.faulty), Self.activated(2, "m"),
                Self.defined(3, "users", Self.good), Self.activated(4, "users"),
                Self.event(5, "model-p", 1, "ModelWished", "{}"), Self.defined(6, "z", Self.good),
                Self.activated(7, "z"), Self.event(8, "o-1", 1, "A", #"{"v":3}"#),
            ]
            let input = lines.joined(separator: "\n")
            let run = try other.storectl("--data", place, "import", "--force", input: input)
            expect(run.output.hasPrefix("imported: 8 events, of which no model uses "), "\(run.errors)")
            let offline = try other.storectl("--data", place, "--json", "list", "z")
            expect(offline.exit == .code(0) && offline.output.contains(#""id":"1","changes":1,"position":8,"n":3"#))
            let replayed = try other.storectl("--data", place, "replay")
            expect(replayed.exit == .code(0) && replayed.output.contains("\nz "), "\(replayed.errors)")
            let daemon = try RunningDaemon(data: place)
            let client = try daemon.client()
            try until("z is served") { try client.ask("GET z/1").contains(#""n":3"#) }
            expect(try client.ask("GET users/1").contains("notFound"))
            let models = try daemon.storectl("--json", "model", "list").output
            for (name, state) in [("m", "failed"), ("users", "failed"), ("z", "ready")] {
                expect(models.contains(#""model":"\#(name)","definition":1,"state":"\#(state)""#), "\(models)")
            }
            let text = "from o\nn: number = 0\non A { n += 1 }"
            expect(try daemon.storectl("model", "define", "y", "-", input: text).exit == .code(0))
            expect(try client.ask("GET y/1").contains(#""n":1"#))
            try daemon.kill()
        }

        @Test(arguments: [[], ["--force"]])
        func `two users never get one address`(force: [String]) throws {
            let daemon = try RunningDaemon()
            let place = daemon.folder.place("imported")
            let taken = [
                Self.user(2, "2", "A@Example.org"),
                Self.user(2, "2", "b@example.org") + "\n"
                    + Self.event(3, "user-2", 2, "UserRevised", #"{"email":"a@example.org"}"#),
            ]
            for lines in taken {
                let run = try daemon.storectl(
                    arguments: ["--data", place, "import"] + force, input: Self.first + "\n" + lines)
                expect(run.exit == .code(1), "\(run.output)")
                expect(
                    run.errors.contains("user-2 would have the email of user-1; nothing was imported"), "\(run.errors)")
                expect(!Files.exists(place))
            }
            let given = Self.event(2, "user-1", 2, "UserRevised", #"{"email":"c@example.org"}"#)
            let run = try daemon.storectl(
                "--data", place, "import",
                input: [Self.first, given, Self.user(3, "2", "a@example.org")].joined(separator: "\n"))
            expect(run.exit == .code(0), "an address that was given up is free: \(run.errors)")
        }

        /// Events with every length of their parts, from the least on, as an export writes them.
        private static let lengths: [String] = {
            var lines: [String] = []
            for cursor in ["", #","cursor":"b/1@1""#, #","cursor":"billing/64@9007199254740991""#] {
                for tags in ["", #","tags":["t"]"#, #","tags":["course:c1","x"]"#] {
                    for meta in ["", #","meta":{}"#, #","meta":{"a":1}"#] {
                        for length in 0...20 {
                            let number = lines.count + 1
                            let key =
                                length % 3 == 0 ? "" : #","key":"\#(number)\#(String(repeating: "k", count: length))""#
                            let data = length == 0 ? "1" : #""\#(String(repeating: "d", count: length - 1))""#
                            lines.append(
                                #"{"position":\#(number),"stream":"note-1","version":\#(number),"type":"T","#
                                    + #""time":"2026-01-01T00:00:00.001Z","by":0\#(cursor)\#(key)\#(tags)\#(meta),"#
                                    + #""data":\#(data)}"#)
                        }
                    }
                }
            }
            return lines
        }()

        @Test func `events of every length come back as they were, and so do the moves of cursors`() throws {
            let daemon = try RunningDaemon()
            let place = daemon.folder.place("imported")
            let lines = Self.lengths.joined(separator: "\n") + "\n"
            expect(try daemon.storectl("--data", place, "import", input: lines).exit == .code(0))
            expect(try daemon.storectl("--data", place, "export").output == lines)
            expect(try daemon.storectl("--data", place, "verify").exit == .code(0))
            let salvaged = daemon.folder.place("salvaged")
            expect(try daemon.storectl("salvage", place, "--out", salvaged).exit == .code(0))
            expect(try daemon.storectl("--data", salvaged, "export").output == lines)
        }

        @Test(arguments: ["1", #""b""#, #""b/1""#, #""b/1@""#, #""/1@1""#, #""b/x@1""#, #""b/1@1@1""#])
        func `a cursor that names no move is refused`(cursor: String) throws {
            let daemon = try RunningDaemon()
            let place = daemon.folder.place("imported")
            let line = Self.event(1, "note-1", 1, "T", #"1,"cursor":\#(cursor)"#)
            let run = try daemon.storectl("--data", place, "import", input: line)
            expect(run.exit == .code(1) && run.errors.contains("cursor"), "\(run.errors)")
            expect(!Files.exists(place))
        }

        @Test func `tags may be spelled with white space and escapes, as APPEND takes them`() throws {
            let daemon = try RunningDaemon()
            let place = daemon.folder.place("imported")
            let line =
                #"{"position": 1, "stream": "note-1", "version": 1, "type": "T", "time": "2026-01-01T00:00:00.001Z", "#
                + #""by": 0, "tags": [ "a",  "\u0062:c" ], "data": {"n": 1}}"#
            let run = try daemon.storectl("--data", place, "import", input: line)
            expect(run.exit == .code(0), "\(run.errors)")
            expect(
                try daemon.storectl("--data", place, "export").output.contains(#""tags":["a","b:c"],"data":{"n": 1}"#))
            expect(try daemon.storectl("--data", place, "verify").exit == .code(0))
        }

        @Test func `an empty input makes an empty store, and that is said`() throws {
            let daemon = try RunningDaemon()
            let run = try daemon.storectl("--data", daemon.folder.place("imported"), "import")
            expect(run.exit == .code(0) && run.output == "imported: 0 events\n")
            expect(run.errors.contains("standard input had no events: the new store is empty"), "\(run.errors)")
        }
    }
}
