import Glibc
import StoryCore
import TestSupport
import Testing

extension DaemonTests {
    /// Clients that take too much, send too much, or send it strangely.
    @Suite struct PressureTests {
        @Test func `a subscriber that never reads costs no memory, slows nobody and loses nothing`() throws {
            let daemon = try RunningDaemon()
            let (subscriber, writer, other) = (try daemon.client(), try daemon.client(), try daemon.client())
            expect(try subscriber.ask("SUBSCRIBE events") == #"+ {"subscription":1,"position":0}"#)
            let before = daemon.anonymousMemory
            var (greatest, waits) = (0, [Duration]())
            let line = Load.append(to: "note-1", count: 20, size: 2_000)
            for _ in 0..<100 {
                for _ in 0..<10 { writer.send(line) }
                let worked = daemon.processorTime
                _ = try other.ask("PING")
                waits.append(daemon.processorTime - worked)
                for _ in 0..<10 { expect(try writer.line().hasPrefix("+")) }
                greatest = max(greatest, daemon.anonymousMemory)
            }
            expect(greatest - before < 32 << 20, "memory grew by \((greatest - before) >> 10) KiB")
            expect(waits.sorted()[90] < .milliseconds(250), "the loop worked for \(waits.sorted()[90]) before a PING")
            let markers = try Self.readAll(subscriber, through: 20_000)
            expect(markers.contains { $0.contains("behind") }, "\(markers)")
        }

        /// Reads pushes of events in order up to one; answers the markers between them.
        private static func readAll(_ subscriber: LineSocket, through last: UInt64) throws -> [String] {
            var (next, markers): (UInt64, [String]) = (1, [])
            while next <= last {
                let line = try subscriber.line()
                if line.hasPrefix(#">1 {"position":\#(next),"#) {
                    next += 1
                } else {
                    expect(line.contains("caughtUp") || line.contains("behind"), "\(line.prefix(80)) before \(next)")
                    markers.append(line)
                    guard markers.count < 1_000 else { return markers }
                }
            }
            return markers
        }

        @Test func `a client that sends 200,000 requests before it reads gets 200,000 replies in order`() throws {
            let daemon = try RunningDaemon()
            let (client, other) = (try daemon.client(), try daemon.client())
            let before = daemon.anonymousMemory
            let count = 200_000
            let sender = client.sendBeside(Array((1...count).map { "@\($0) PING\n" }.joined().utf8))
            try other.waitForStandstill(of: "PING")
            let grown = daemon.anonymousMemory - before
            expect(grown < 32 << 20, "memory grew by \(grown >> 10) KiB")
            var inOrder = 0
            while inOrder < count, try client.line() == #"+@\#(inOrder + 1) {"position":0}"# { inOrder += 1 }
            expect(inOrder == count)
            try sender.join()
        }

        @Test func `what was sent before a half-close is answered, then the connection closes`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            client.send(Array("PING\n@a APPEND note-1 {\"type\":\"A\",\"data\":{}}\nREAD events\nPING".utf8))
            client.endSending()
            let heard = try (0..<4).map { _ in try client.line() }
            expect(heard[0] == #"+ {"position":0}"#)
            expect(heard[1].hasPrefix(#"+@a {"stream":"note-1","version":1,"position":1,"#))
            expect(heard[3] == #"+ {"count":1,"position":1}"#)
            expect(try client.nextLine() == nil, "the last line had no end and is no request")
        }

        @Test func `requests that come byte by byte are read like any other`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            let text = #"@x POST users {"id":"1","name":"彩花","email":"a@example.org","prefecture":13}"# + "\nPING\n"
            for byte in text.utf8 { client.send([byte]) }
            expect(try client.line().hasPrefix(#"+@x {"id":"1","stream":"user-1","version":1,"position":1,"#))
            expect(try client.line() == #"+ {"position":1}"#)
        }

        @Test func `of a thousand connections at once those over the limit are told it is busy`() throws {
            var limits = Limits()
            limits.connections = 200
            let daemon = try RunningDaemon(limits: limits)
            let clients = try (0..<1_000).map { _ in try LineSocket(daemon.socket) }
            var (greeted, busy) = (0, 0)
            for client in clients {
                let line = try client.line()
                if line.hasPrefix("*") { greeted += 1 }
                if line.text("code") == "busy" {
                    busy += 1
                    expect(try client.nextLine() == nil)
                }
            }
            expect(greeted == 200)
            expect(busy == 800)
            for client in clients { client.hangUp() }
            try until("there is room again") { try LineSocket(daemon.socket).line().hasPrefix("*") }
        }

        @Test func `clients that hang up with answers on the way bring nobody down`() throws {
            let daemon = try RunningDaemon()
            let writer = try daemon.client()
            for _ in 0..<5 { _ = try writer.ask(Load.append(to: "note-1", count: 20, size: 10_000)) }
            for _ in 0..<200 {
                let client = try daemon.client()
                client.send("READ events")
                client.send("SUBSCRIBE events from=1")
                client.hangUp()
            }
            expect(try writer.ask("PING") == #"+ {"position":100}"#)
            expect(daemon.exit == nil)
        }
    }
}
