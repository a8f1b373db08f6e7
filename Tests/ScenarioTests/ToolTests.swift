import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// What `storectl` does with a whole log, asking the daemon or reading the files.
    @Suite struct ToolTests {
        private static func filled() throws -> RunningDaemon {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for line in [
                #"POST users {"id":"7","name":"A","email":"a@example.org","prefecture":3}"#,
                #"APPEND note-1 key=k [{"type":"A","data":{ "x" : 1.50 },"tags":["t:1"]}]"#,
                #"APPEND note-2 {"type":"B","data":"\u00e9","meta":{"m": 1}}"#,
            ] { #expect(try client.ask(line).hasPrefix("+")) }
            for _ in 0..<30 { #expect(try client.ask(Load.append(to: "load-1", count: 500, size: 50)).hasPrefix("+")) }
            return daemon
        }

        @Test func `export writes what READ answers, asked or read, whole or in part`() throws {
            let daemon = try Self.filled()
            let client = try daemon.client()
            let first = try client.rows("READ events limit=10000")
            let last = try client.rows("READ events from=10001 limit=10000")
            let all = (first + last).map { String($0.dropFirst(2)) }
            #expect(all.count == 15_003)
            for offline in [false, true] {
                if offline { #expect(try daemon.stop() == .code(0)) }
                func export(_ arguments: String...) throws -> [String] {
                    let run = try daemon.storectl(arguments: ["export"] + arguments, offline: offline)
                    #expect(run.exit == .code(0) && run.errors == "", "\(run.errors)")
                    return run.output.split(separator: "\n").map(String.init)
                }
                #expect(try export() == all)
                #expect(try export("--types", "A,B") == all[1...2].map { $0 })
                #expect(try export("--from", "2", "--to", "3") == all[1...2].map { $0 })
                #expect(try export("--to", "1970-01-01T00:00:00Z") == [])
                #expect(try export("--from", "2000-01-01T00:00:00Z", "--to", "12000") == all[..<12_000].map { $0 })
            }
            #expect(try daemon.storectl("export", "--from", "soon", offline: true).exit == .code(2))
        }

        @Test func `tail prints the rows of a list as they are, then as they change`() throws {
            let daemon = try Self.filled()
            let client = try daemon.client()
            let row = try daemon.storectl("tail", "users/7", "--limit", "1")
            #expect(row.exit == .code(0) && row.errors == "", "\(row.errors)")
            #expect(row.output.hasPrefix(#"{"position":1,"row":{"id":"7","version":1,"position":1,"name":"A","#))
            for id in 8...9 {
                let form = #"{"id":"\#(id)","name":"B","email":"\#(id)@example.org","prefecture":\#(id)}"#
                #expect(try client.ask("POST users \(form)").hasPrefix("+"))
            }
            let list = try daemon.storectl("tail", "users", "--prefecture", "9", "--limit", "1")
            #expect(list.output.contains(#""row":{"id":"9","#))
            let refused = try daemon.storectl("tail", "users", "--from", "1")
            #expect(refused.exit == .code(2) && refused.errors.contains("from"), "\(refused.errors)")
        }

        @Test func `verify asks the daemon, or reads the files, and both find the same`() throws {
            let daemon = try Self.filled()
            let asked = try daemon.storectl("verify")
            #expect(asked.exit == .code(0))
            #expect(asked.output == "verified: every one of 15003 events is as it was written\n")
            let beside = try daemon.storectl("verify", offline: true)
            #expect(beside.exit == .code(0) && beside.output == asked.output, "\(beside.errors)")
            let json = try daemon.storectl("--json", "verify")
            #expect(json.output == "{\"verified\":15003,\"position\":15003}\n")
            #expect(try daemon.stop() == .code(0))
            #expect(try daemon.storectl("verify", offline: true).output == asked.output)
        }

        @Test func `backup makes a copy that verifies and exports the same`() throws {
            let daemon = try Self.filled()
            let place = daemon.folder.place("copy")
            let run = try daemon.storectl("--json", "backup", place)
            #expect(
                run.exit == .code(0) && run.output == "{\"backup\":\"\(place)\",\"position\":15003}\n", "\(run.errors)")
            #expect(try daemon.storectl("backup", place).exit == .code(1), "a backup replaces nothing")
            let copy = try RunningDaemon(data: place)
            #expect(try copy.storectl("verify").exit == .code(0))
            #expect(try copy.storectl("export").output == daemon.storectl("export").output)
        }

        @Test func `damage of the log or of its journal is named by its first position, with exit 5`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for number in 100..<300 {
                #expect(try client.ask(#"APPEND note-1 {"type":"A","data":"needle-\#(number)"}"#).hasPrefix("+"))
            }
            #expect(try daemon.stop() == .code(0))
            #expect(try Files.replace("needle-177", by: "needle-x77", in: daemon.data + "/log/data.mdb") > 0)
            for file in ["", "/log.journal"] {
                if !file.isEmpty { _ = try Files.replace("needle-177", by: "needle-x77", in: daemon.data + file) }
                let run = try daemon.storectl("verify", offline: true)
                #expect(run.exit == .code(5))
                #expect(run.errors.contains("damaged at position 78: "), "\(run.errors)")
            }
        }
    }
}
