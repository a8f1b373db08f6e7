import Foundation
import Glibc
import TestSupport
import Testing

extension HostileTests {
    /// Those who follow events and lists, and stop reading while a great deal changes.
    @Suite struct StandstillTests {
        /// What the daemon's memory may grow by that is no file map.
        private static let bound = 32 << 20

        @Test func `followers that stop reading cost no memory, and get everything right when they read again`() throws
        {
            let daemon = try RunningDaemon()
            let changes = Changes(try daemon.client())
            let count = HostileTests.scale.of(20_000, long: 1_000_000)
            let (events, list, lateList) = (try daemon.client(), try daemon.client(), try daemon.client())
            try changes.fill(stories: 1_000)
            events.send("SUBSCRIBE events from=1")
            list.send("SUBSCRIBE stories")
            var told = Told()
            while try !told.take(list.line(), through: 0) {}
            expect(told.rows.count == 1_000)
            // This one stops while the list is told to it for the first time.
            lateList.send("SUBSCRIBE stories")
            let before = daemon.anonymousMemory
            var greatest = before
            while changes.position < count {
                try changes.make(500)
                greatest = max(greatest, daemon.anonymousMemory)
            }
            let grown = greatest - before
            let canary = try Canary(daemon)
            try readEvents(events, through: changes.position)
            var late = Told()
            while try !told.take(list.line(), through: changes.position) {}
            while try !late.take(lateList.line(), through: changes.position) {}
            let rows = try changes.rows()
            expect(told.rows == rows && late.rows == rows)
            expect(told.wasBehind)
            // A change of each row, and of those that came and went some, not each of the changes.
            expect(told.pushes < 20_000 && late.pushes < 20_000, "\(told.pushes) and \(late.pushes) pushes")
            print(
                "hostile: \(changes.position) changes unread by three: memory grew by \(grown >> 10) KiB, "
                    + "the lists took \(told.pushes) and \(late.pushes) pushes")
            expect(grown <= Self.bound, "memory grew by \(grown >> 10) KiB")
            try canary.end("three that read again after \(changes.position) changes")
            expect(try daemon.stop() == .code(0))
        }

        /// Every event, each once, in order.
        private func readEvents(_ subscriber: LineSocket, through last: Int) throws {
            var next = 1
            while next <= last {
                let line = try subscriber.line()
                if line.hasPrefix(">1 {\"position\":\(next),") {
                    next += 1
                } else if line.hasPrefix(">1 {\"position\":") {
                    throw TookTooLong(what: "event \(next) did not come, but \(line.prefix(80))")
                }
            }
        }
    }

    /// Somebody who changes stories: posts, revises, likes and deletes them.
    private final class Changes {
        private let client: LineSocket
        private var random = SplitMix64(seed: HostileTests.scale.seed)
        private var there: [Int] = []
        private var last = 0
        /// The last event.
        private(set) var position = 0

        init(_ client: LineSocket) { self.client = client }

        /// So many stories of two users', a kilobyte each.
        func fill(stories: Int) throws {
            try carryOut(
                (1...2).map { id in
                    #"POST users {"id":"\#(id)","name":"N","email":"\#(id)@example.org","prefecture":1}"#
                })
            for _ in 0..<stories / 100 { try carryOut((0..<100).map { _ in post() }) }
        }

        func make(_ count: Int) throws {
            try carryOut(
                (0..<count).map { _ in
                    let index = Int.random(in: there.indices, using: &random)
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0 where there.count > 500:
                        let id = there[index]
                        there[index] = there[there.count - 1]
                        there.removeLast()
                        return "DELETE stories/\(id)"
                    case 1: return post()
                    case 2: return #"LIKE stories/\#(there[index]) {"user":"1"}"#
                    case 3: return #"UNLIKE stories/\#(there[index]) {"user":"1"}"#
                    default:
                        return
                            #"EDIT stories/\#(there[index]) {"title":"T\#(UInt32.random(in: 0...(.max), using: &random))"}"#
                    }
                })
        }

        private func post() -> String {
            last += 1
            there.append(last)
            let text = String(repeating: "m", count: 1_000)
            return #"POST stories {"id":"\#(last)","title":"T","message":"\#(text)","sender":"1","recipient":"2"}"#
        }

        private func carryOut(_ requests: [String]) throws {
            let sender = client.sendBeside(Array(requests.map { $0 + "\n" }.joined().utf8))
            for request in requests {
                let reply = try client.line()
                guard reply.hasPrefix("+ "), let position = reply.number("position") else {
                    throw TookTooLong(what: "\(request): \(reply)")
                }
                self.position = max(self.position, Int(position))
            }
            try sender.join()
        }

        /// The stories as they are.
        func rows() throws -> [String: String] {
            var rows: [String: String] = [:]
            var after: String? = ""
            while let next = after {
                client.send("LIST stories limit=1000" + (next.isEmpty ? "" : " after=\(next)"))
                while true {
                    let line = try client.line()
                    if line.hasPrefix("= ") {
                        rows[line.text("id") ?? ""] = String(line.dropFirst(2))
                    } else {
                        after = line.text("next")
                        break
                    }
                }
            }
            return rows
        }
    }

    /// What somebody who watches a list was told.
    private struct Told {
        var rows: [String: String] = [:]
        var pushes = 0
        var wasBehind = false

        /// True once everything up to a position was told.
        mutating func take(_ line: String, through last: Int) -> Bool {
            guard line.hasPrefix(">1 ") else { return false }
            if line.hasPrefix(">1 {\"caughtUp\":") { return Int(line.number("caughtUp") ?? 0) >= last }
            if line.hasPrefix(">1 {\"behind\":") {
                wasBehind = true
                return false
            }
            pushes += 1
            if line.hasPrefix(">1 {\"again\":") {
                rows = [:]
                return false
            }
            if let id = line.text("removed") {
                expect(rows[id] != nil, "\(line) was never told of")
                rows[id] = nil
            } else if let start = line.range(of: #""row":"#) {
                let row = String(line[start.upperBound...].dropLast())
                rows[row.text("id") ?? ""] = row
            }
            return false
        }
    }
}
