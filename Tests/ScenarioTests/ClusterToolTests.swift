import Foundation
import Glibc
import TestSupport
import Testing

extension MachineTests {
    /// `CLUSTER` and `storectl cluster`, with nodes over a real etcd.
    @Suite struct ClusterToolTests {
        private let append = #"APPEND note-1 {"type":"Wrote","data":1}"#

        @Test func `promote hands the lead over at once, however long a lease is, and loses nothing`() throws {
            // No lease ends within the test.
            let cluster = try RunningNodes(3, lease: 60)
            let writer = Writer("w", to: cluster["n1"].socket, seed: 1)
            try until("writes are acknowledged") { writer.hasReceipt }
            for (asked, node) in [("n3", "n2"), ("n3", "n3"), ("n1", "n2")] {
                let waiting = try cluster[node].client()
                waiting.send(append)
                // A node that has not heard of the last change yet says so, and changes nothing.
                var told = ""
                try until("\(node) is promoted: \(told)") {
                    told = try cluster[asked].client().ask("CLUSTER promote \(node)")
                    return told.hasPrefix("+") || told.text("retry") != "later"
                }
                expect(told.hasPrefix(#"+ {"node":"\#(node)","term":"#), "\(told)")
                expect(try waiting.line().hasPrefix("+"))
                try until("\(node) leads") { try cluster.state(node) == "leading" }
            }
            try cluster["n1"].kill()
            let writes = try writer.join()
            expect(writes.contains { $0.position != nil })
            let client = try cluster["n2"].client()
            for write in writes where write.position != nil {
                expect(try client.ask(write.line).number("position") == write.position, "its first receipt")
            }
            for name in ["n2", "n3"] { expect(try cluster[name].stop() == .code(0), "\(cluster[name].trace)") }
        }

        @Test func `a removed node ends with a sentence, and joins as a new one when it is started again`() throws {
            let cluster = try RunningNodes(3)
            let client = try cluster["n2"].client()
            let refused = try client.ask("CLUSTER remove n1")
            expect(refused.text("code") == "denied", "\(refused)")
            expect(try client.ask("CLUSTER remove n3").hasPrefix(#"+ {"node":"n3","position":"#))
            expect(try cluster["n3"].wait() == .code(2))
            expect(try cluster["n3"].traces("this node was removed from the log"))
            expect(try client.rows("CLUSTER").compactMap { $0.text("node") } == ["n1", "n2"])
            expect(try cluster["n1"].client().ask(append).hasPrefix("+"))
            try cluster["n3"].start()
            try until("n3 is a node again") {
                try client.rows("CLUSTER").count == 3 && cluster.state("n3") == "following"
            }
            expect(try cluster["n3"].client().ask("PING min=now").number("position") == 1)
        }

        @Test func `the tool shows the nodes to people and to programs, and changes them`() throws {
            let cluster = try RunningNodes(2)
            expect(try cluster["n1"].client().ask(append).hasPrefix("+"))
            let shown = try cluster["n2"].storectl("cluster")
            expect(shown.exit == .code(0), "\(shown.errors)")
            let lines = shown.output.split(separator: "\n")
            try require(lines.count == 4, "\(shown.output)")
            expect(lines[0].hasPrefix("node ") && lines[1].contains(#/^n1 +leading +[01] /#), "\(shown.output)")
            expect(lines[2].contains(#/^n2 +following +[01] /#), "\(shown.output)")
            expect(lines[3].contains(#/^main: n1 leads in term [0-9]+, position 1, etcd has .* from 1 on$/#))
            let json = try cluster["n2"].storectl("--json", "cluster", "status")
            let raw = try cluster["n2"].client()
            expect(
                json.output.split(separator: "\n").compactMap { String($0).text("state") } == ["leading", "following"])
            expect(json.output.hasSuffix("}\n") && json.output.contains(#"{"log":"main","leader":"n1","term":"#))
            let csv = try cluster["n2"].storectl("cluster", "--csv", "--columns", "node,state")
            expect(csv.output == "node,state\nn1,leading\nn2,following\n")
            let moved = try cluster["n1"].storectl("cluster", "promote", "n2")
            expect(moved.exit == .code(0) && moved.output.hasPrefix("n2 leads, in term "), "\(moved.errors)")
            expect(try raw.ask("CLUSTER promote n2").hasPrefix("+"))
            try cluster["n1"].kill()
            try until("n1 is silent") { try raw.rows("CLUSTER").first?.text("state") == "silent" }
            let silent = try cluster["n2"].storectl("cluster", "promote", "n1")
            expect(silent.exit == .code(3) && silent.errors.contains("n1 has not reported"), "\(silent.errors)")
            let removed = try cluster["n2"].storectl("cluster", "remove", "n1")
            expect(removed.exit == .code(0) && removed.output == "n1 is forgotten\n", "\(removed.errors)")
            let gone = try cluster["n2"].storectl("--json", "cluster", "promote", "n1")
            expect(gone.exit == .code(1) && gone.errors.contains("notFound"), "\(gone.errors)")
        }

        @Test func `watched, the nodes are drawn over themselves until q, and where they cannot be, below`() throws {
            let cluster = try RunningNodes(1)
            let command = [try Program.path("storectl"), "--socket", cluster["n1"].socket, "cluster", "--watch"]
            let page = try Pseudoterminal(command, environment: ["TERM=xterm"] + SanitizerSettings.environment)
            try page.shows("the nodes") {
                $0.lines[0].hasPrefix("main: n1 leads in term ") && $0.lines[3].hasPrefix("n1") && $0.isOnSecondPage
            }
            expect(try cluster["n1"].client().ask(append).hasPrefix("+"))
            try page.shows("the position, and the rate") {
                $0.lines[0].contains("position 1, ") && $0.lines[0].contains(" events/s") && $0.lines[23] == "q quit"
            }
            page.type("q")
            expect(try page.wait() == 0)
            let plain = try Pseudoterminal(command, environment: ["TERM=dumb"] + SanitizerSettings.environment)
            try plain.waitFor("\r\n\r\nnode")
            plain.type("\u{3}")
            expect(try plain.wait() == 130)
        }

        @Test func `the demonstration kills the leader once, loses nothing, and leaves nothing`() throws {
            let folder = try Scratch()
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().path
            let programs = URL(filePath: try Program.path("storectl")).deletingLastPathComponent().path
            let (output, input) = (folder.place("output"), folder.place("input"))
            try Files.write("", to: input)
            let demo = try Program(
                ["bash", root + "/scripts/cluster-demo"], environment: ["STORYKEEP_BIN=\(programs)"], input: input,
                output: output, errors: output)
            expect(try demo.wait() == .code(0), "\(Files.text(output))")
            let said = Files.text(output)
            expect(said.contains(#/\nn[123] was killed\nn[123] leads after /#), "\(said)")
            expect(
                said.contains(#/\nAll nodes have the [0-9]+ events that were acknowledged, each once\n/#), "\(said)")
            let table = said.components(separatedBy: "acknowledged, each once\n").last ?? ""
            expect(table.matches(of: #/\nn[123] +(following|leading) /#).count == 3, "\(table)")
            let scratch = try require(said.firstMatch(of: #/three nodes in ([^\n]+)/#)).output.1
            expect(!Files.exists(String(scratch)) && said.hasSuffix("Stopping\n"))
        }

        @Test func `while etcd does not answer a check is critical, and the table does not say that nodes follow`()
            throws
        {
            let cluster = try RunningNodes(2)
            let calm = ["check", "--warning", "ping=30", "--critical", "ping=60"]
            expect(try cluster["n1"].storectl(arguments: calm).exit == .code(0))
            try cluster["n2"].kill()
            try until("it has not reported for four seconds") {
                try cluster["n1"].storectl("cluster").output.contains(#/\nn2 +no word for [4-9] s /#)
            }
            try cluster.etcd.kill()
            try until("the check is critical") { try cluster["n1"].storectl(arguments: calm).exit == .code(2) }
            let check = try cluster["n1"].storectl(arguments: calm).output
            expect(check.contains(#/^STORYKEEP CRITICAL - (engine-lost|.*, engine-lost)/#), "\(check)")
            let table = try cluster["n1"].storectl("cluster").output
            expect(table.contains("\nengine-lost: etcd does not answer, so no write is possible here\n"), "\(table)")
            expect(!table.contains("n1 leads"), "\(table)")
            try cluster.etcd.launch()
            try until("all is well but for the node that is gone") {
                let check = try cluster["n1"].storectl(arguments: calm).output
                return check.hasPrefix("STORYKEEP OK") || check.hasPrefix("STORYKEEP WARNING - node-silent, position")
            }
        }

        @Test func `wrong words, and a store that is no node, are refused`() throws {
            let alone = try RunningDaemon()
            for (words, text) in [
                (["leave"], "cluster has no \"leave\""), (["promot", "n1"], "the nearest is promote"),
                (["promote"], "cluster promote needs the name of a NODE"),
                (["remove", "n1", "n2"], "cluster remove does not take \"n2\""),
                (["status", "n1"], "cluster status does not take \"n1\""),
                (["promote", "n1", "--watch"], "--watch is for cluster status"),
            ] {
                let run = try alone.storectl(arguments: ["cluster"] + words)
                expect(run.exit == .code(2) && run.errors.contains(text), "\(run.errors)")
            }
            let none = try alone.storectl("cluster")
            expect(
                none.exit == .code(1) && none.errors.contains("this store is no node of a cluster"), "\(none.errors)")
        }
    }
}
