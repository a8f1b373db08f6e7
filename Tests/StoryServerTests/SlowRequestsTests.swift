import LoopSupport
import StoryCore
@testable import StoryServer
import TestSupport
import Testing

/// Requests that take longer than the setting `slow` are traced, without what is in them.
@Suite struct SlowRequestsTests {
    private let bench = SlowDisk.bench()

    private func slow() -> [String] { bench.trace.filter { $0.contains(" slow ") || $0.contains(" slow-more ") } }

    @Test func `a commit that takes long makes its writes slow, from the line to the reply`() throws {
        bench.send(
            #"POST users key=secret {"id":"2","name":"B","email":"b@example.org","prefecture":1}"#, from: "writer")
        bench.clock.pass(nanoseconds: 132_000_000)
        expect(slow().isEmpty)
        bench.endCommit()
        let line = try require(slow().first)
        expect(slow().count == 1)
        expect(line.contains(" slow verb=POST target=users options=key ms=132 work-ms=0 client=1 uid=1000"), "\(line)")
        expect(!line.contains("secret") && !line.contains("example"))
        expect(bench.ask("METRICS", from: "reader").contains { $0.contains(#"storykeep_slow_requests_total 1\n"#) })
    }

    @Test func `an answer that rests on it is slow as well, and what is quick is not told`() {
        bench.send(#"POST users {"id":"2","name":"B","email":"b@example.org","prefecture":1}"#, from: "writer")
        bench.send("LIST users prefecture=1 sort=name order=asc", from: "reader")
        bench.clock.pass(nanoseconds: 200_000_000)
        bench.endCommit()
        expect(slow().count == 2)
        expect(bench.said("verb=LIST target=users options=prefecture,sort,order ms=200 ") == 1, "\(slow())")
        bench.send("PING", "GET users/1", "READ events", from: "reader")
        expect(slow().count == 2)
    }

    @Test func `ten a second are told, and of the others how many there were`() {
        for number in 0..<15 { bench.connected("client \(number)") }
        for number in 0..<15 {
            bench.receive(SlowDisk.append + "\n" + SlowDisk.append + "\n", from: "client \(number)")
        }
        bench.run()
        bench.clock.pass(nanoseconds: 150_000_000)
        bench.endCommit()
        expect(slow().count == 10)
        bench.tick(10)
        expect(slow().count == 11 && bench.said(" slow-more count=20") == 1, "\(slow())")
        expect(bench.ask("METRICS", from: "reader").contains { $0.contains(#"storykeep_slow_requests_total 30\n"#) })
    }

    @Test(arguments: [
        ("0.1", 100), ("0", 0), ("0.0", 0), ("1", 1_000), ("2.05", 2_050), ("0.001", 1), ("3600", 3_600_000),
    ])
    func `seconds are read with three decimals, and written as short as can be`(text: String, milliseconds: Int) {
        expect(DecimalSeconds.milliseconds(text, atMost: 3_600) == milliseconds)
        let written = DecimalSeconds.text(milliseconds: milliseconds)
        expect(DecimalSeconds.milliseconds(written, atMost: 3_600) == milliseconds)
        expect(written.count <= text.count)
    }

    @Test(arguments: [
        "", ".", "1.", ".5", "-1", "1e3", "0.0001", "3600.001", "3601", "١", "1 ", "99999999999999999999",
    ])
    func `what is no such number is refused`(text: String) {
        expect(DecimalSeconds.milliseconds(text, atMost: 3_600) == nil)
    }
}
