import Synchronization
import TestSupport
import Testing

extension RaceTests {
    /// Clients that want the same version of one stream.
    @Suite struct OneWinnerTests {
        private static let clients = 64

        @Test func `of 64 clients who want the same version one gets it, each round`() throws {
            let daemon = try RunningDaemon()
            let clients = try (0..<Self.clients).map { _ in try daemon.client() }
            var random = SplitMix64(seed: RaceTests.scale.seed)
            let rounds = RaceTests.scale.of(50, long: 200)
            for round in 0..<rounds {
                let order = (0..<Self.clients).shuffled(using: &random)
                for number in order {
                    clients[number].send(#"APPEND note-1 version=\#(round) {"type":"A","data":"\#(round).\#(number)"}"#)
                }
                var winners: [Int] = []
                for number in 0..<Self.clients {
                    let answer = try clients[number].final()
                    if answer.hasPrefix("+") {
                        winners.append(number)
                        expect(answer.number("version") == UInt64(round + 1))
                    } else {
                        expect(answer.text("code") == "conflict" && answer.number("actual") == UInt64(round + 1))
                    }
                }
                expect(winners.count == 1, "round \(round): \(winners)")
                let row = try clients[0].rows("READ events/note-1 from=\(round + 1)").first
                expect(row?.text("data") == "\(round).\(winners.first ?? -1)", "\(row ?? "nothing")")
            }
            print("races: \(rounds) rounds of \(Self.clients) clients, one winner each")
        }

        /// What clients won that each go at their own pace, by version.
        private final class Won: Sendable {
            let byVersion = Mutex<[UInt64: [String]]>([:])
            let errors = Mutex<[String]>([])
        }

        @Test func `64 clients at their own pace, each with the version it knows, make one history`() throws {
            let daemon = try RunningDaemon()
            let won = Won()
            let wanted = UInt64(RaceTests.scale.of(400, long: 12_800))
            let path = daemon.socket
            let racers = (0..<Self.clients).map { number in
                Background {
                    do {
                        let client = try LineSocket(path)
                        _ = try client.line()
                        var version: UInt64 = 0
                        while version < wanted {
                            let mine = "\(number).\(version)"
                            let answer = try client.ask(
                                #"APPEND note-1 version=\#(version) {"type":"A","data":"\#(mine)"}"#)
                            if answer.hasPrefix("+") {
                                version += 1
                                won.byVersion.withLock { $0[version, default: []].append(mine) }
                            } else {
                                guard answer.text("code") == "conflict", let actual = answer.number("actual"),
                                    actual > version
                                else { throw TookTooLong(what: answer) }
                                version = actual
                            }
                        }
                    } catch {
                        won.errors.withLock { $0.append("\(error)") }
                    }
                }
            }
            for racer in racers { try racer.join() }
            expect(won.errors.withLock { $0 } == [])
            let byVersion = won.byVersion.withLock { $0 }
            let client = try daemon.client()
            var version: UInt64 = 0
            while true {
                let rows = try client.rows("READ events/note-1 from=\(version + 1) limit=10000")
                if rows.isEmpty { break }
                for row in rows {
                    version += 1
                    expect(byVersion[version] == [row.text("data") ?? ""], "version \(version)")
                }
            }
            expect(version >= wanted && byVersion.count == version)
            print("races: \(version) versions won by \(Self.clients) clients at their own pace")
        }
    }
}
