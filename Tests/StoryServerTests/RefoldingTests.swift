import LoopSupport
import StoryCore
import StoryEngine
import StoryStorage
import TestSupport
import Testing

@testable import StoryServer

/// Models that lost events, by a rollback or a replacement, get them again in steps between which the loop serves others.
@Suite struct RefoldingTests {
    static let text =
        "from order; n: number = 0; last: number; sort n; "
        + "on Placed { for x in data.rows { row x { n += 1; last = data.v } } }"
    /// The events of the log: a definition, its activation, a user, and orders.
    private static let count: UInt64 = 43

    private let models = FrailModels()
    private let shelf = MemoryModelFolders()
    private let log = MemoryEventLog()
    private let commits = HeldCommits(isHeld: false)
    private let bench: DrivenLoop
    private var driver: CommitDriver { bench.server.driver }
    private var isUnderWay: Bool { driver.isHalfFolded }
    private var awaitsModels: Bool { driver.refolding.awaitsModels && driver.refusals.areModelsDamaged }
    private var isStopped: Bool { bench.server.stopReason != nil }

    /// Limits by which a step folds one event, or a part of one.
    static var slow: Limits {
        var limits = Limits()
        limits.foldStep = Work(nanoseconds: 1)
        return limits
    }

    init() throws {
        let work = LogJobs(verify: { _, _, _ in { [] } }, backUp: { _, _ in { [] } }, seal: { _ in { "" } })
        bench = try DrivenLoop(
            RefoldingTests.slow, log: log, models: models, modelFolders: shelf, logWork: work, commits: commits,
            background: BackgroundStarter { body in
                body()
                return true
            })
        commits.whenDone = bench.wake
        bench.connected("ann", "eve")
        RefoldingTests.fill(bench)
        expect(log.head == Position(RefoldingTests.count))
    }

    /// Writes the events.
    static func fill(_ bench: DrivenLoop) {
        _ = bench.ask("DEFINE sums \"\(text)\"", from: "ann")
        bench.run()
        _ = bench.ask(#"POST users {"id":"u1","name":"U","email":"u@example.org","prefecture":1}"#, from: "ann")
        for number in 0..<40 { _ = bench.ask(order(number), from: "ann") }
    }

    static func order(_ number: Int) -> String {
        #"APPEND order-\#(number % 3) {"type":"Placed","data":{"rows":["a","r\#(number)"],"v":\#(number)}}"#
    }

    /// Has the next commit refused, for a write of which nothing is left.
    private func rollBack() {
        log.commitFailure = .full("no room")
        bench.receive(RefoldingTests.order(99) + "\n", from: "ann")
        for _ in 0..<50 where !isUnderWay { bench.endTurn() }
        expect(bench.hear("ann").first?.text("code") == "full", "its failure waits for no model")
        expect(isUnderWay)
        expect(log.head == Position(RefoldingTests.count))
    }

    /// Asks within one turn.
    private func askNow(_ line: String, from name: String = "eve") -> [String] {
        bench.receive(line + "\n", from: name)
        bench.endTurn()
        return bench.hear(name)
    }

    /// Expects the rows of all events.
    private func expectRows(_ count: UInt64 = RefoldingTests.count) {
        let row = bench.ask("GET sums/a", from: "eve").first
        expect(row?.contains(#""position":\#(RefoldingTests.count),"n":40,"last":39"#) == true, "\(row ?? "")")
        expect(bench.ask("COUNT sums", from: "eve").first?.number("count") == 41)
        expect(bench.ask("GET users/u1", from: "eve").first?.hasPrefix("+") == true)
        expect(bench.ask("STREAMS", from: "eve").count == 6)
        expect(bench.ask("PING", from: "eve").first?.number("position") == count)
        expect(bench.ask("READ misfits/sums", from: "eve").count == 1)
        expect(!isStopped, "\(bench.trace)")
    }

    @Test func `others are answered between the steps, as far as they need no models, and the rest waits`() {
        rollBack()
        expect(askNow("@1 PING").first?.number("position") == RefoldingTests.count)
        expect(askNow("@2 SEAL").first?.hasPrefix("+") == true && isUnderWay)
        bench.connect("dora")
        bench.endTurn()
        expect(bench.hear("dora").first?.hasPrefix("*") == true, "a client is greeted")
        bench.receive("@1 GET sumz/a\n@2 GET sums/a\n@3 PING\n", from: "dora")
        bench.receive(RefoldingTests.order(40) + "\n", from: "ann")
        var turns = 0
        while driver.isHalfFolded {
            turns += 1
            expect(bench.endTurn(), "more is left to do")
            expect(bench.hear("dora").isEmpty && bench.hear("ann").isEmpty)
            expect(askNow("PING").first?.hasPrefix("+") == true)
        }
        expect(turns > 60, "a step folds one event")
        bench.run()
        let heard = bench.hear("dora")
        expect(heard.map { String($0.prefix(3)) } == ["-@1", "+@2", "+@3"])
        expect(heard[1].contains(#""n":40,"last":39"#), "\(heard)")
        expect(bench.ask("GET sums/a", from: "eve").first?.contains(#""position":40"#) == false)
        let excess = bench.server.longestFolds.step
        expect(excess > .zero && excess <= Work(microseconds: 20))
        expect(bench.hear("ann").first?.text("code") == "full", "the disk is taken for full for a second")
        bench.tick(11)
        expect(bench.ask(RefoldingTests.order(40), from: "ann").first?.number("position") == RefoldingTests.count + 1)
    }

    @Test func `subscriptions and answers under way go on with the rows of acknowledged events`() {
        bench.connected("list")
        bench.send("SUBSCRIBE sums/a", "SUBSCRIBE events from=40", from: "list")
        let before = bench.hear("list")
        expect(before.count > 5)
        rollBack()
        for _ in 0..<5 { bench.endTurn() }
        expect(bench.hear("list").isEmpty)
        bench.run()
        expect(bench.hear("list").isEmpty, "nothing of the write is told")
        bench.tick(11)
        _ = bench.ask(RefoldingTests.order(40), from: "ann")
        let heard = bench.hear("list")
        expect(heard.count == 2 && heard.contains { $0.contains(#""n":41"#) }, "\(heard)")
    }

    @Test func `a client that leaves is let go of at once`() {
        rollBack()
        bench.server.peerClosed(bench.id("eve"))
        bench.endTurn()
        let isFinished = bench.isFinished("eve")
        expect(isUnderWay && isFinished)
    }

    @Test(arguments: [1, 20, 43, 60])
    func `a rollback while models that were replaced are folded begins again`(turns: Int) {
        commits.isHeld = true
        commits.duration = LoopBench.slowSync
        bench.clock.setStep(nanoseconds: LoopBench.slowSync)
        for number in 0..<2 {
            bench.receive(RefoldingTests.order(90 + number) + "\n", from: "ann")
            for _ in 0..<50 where !commits.isRunning { bench.endTurn() }
        }
        expect(commits.isRunning, "the commit is beside the loop")
        models.replace()
        driver.refolding.modelsReplaced()
        for _ in 0..<turns { bench.endTurn() }
        expect(bench.hear("ann").count <= 1)
        commits.isHeld = false
        commits.end(with: .refused(Failure(.full, "no room")))
        bench.server.woken()
        expect(askNow("PING").first?.hasPrefix("+") == true)
        expect(isUnderWay)
        bench.run()
        expect(bench.hear("ann").last?.text("code") == "full")
        bench.tick(11)
    }

    @Test(arguments: [0, 10, 50, 70])
    func `a replacement while a rollback is folded begins again, with the declared models as they are`(turns: Int) {
        rollBack()
        for _ in 0..<turns { bench.endTurn() }
        expect(isUnderWay)
        models.replace()
        driver.refolding.modelsReplaced()
        expect(askNow("PING").first?.hasPrefix("+") == true)
        bench.run()
        expectRows()
    }

    @Test func `damage that it meets is waited for, and it begins again once others replace the models`() {
        rollBack()
        for _ in 0..<60 { bench.endTurn() }
        expect(isUnderWay)
        models.isFrail = true
        bench.run()
        expect(awaitsModels && !isStopped)
        bench.receive("@1 GET sums/a\n", from: "eve")
        bench.run()
        expect(bench.hear("eve").isEmpty)
        expect(askNow("PING", from: "ann").first?.hasPrefix("+") == true)
        bench.tick(20)
        expect(models.memory.begun.isEmpty, "models that lack events are not stored")
        models.replace()
        driver.refolding.modelsReplaced()
        bench.run()
        expect(bench.hear("eve").first?.contains(#""n":40"#) == true)
        expectRows()
    }

    @Test func `an error of the log that it meets stops the process`() {
        rollBack()
        bench.endTurn()
        log.readFailure = .failed("no reading")
        bench.endTurn()
        expect(bench.server.stopReason == .failed("no reading"))
    }

    @Test(arguments: [true, false])
    func `the end of the process finishes it, and stores whole models alone`(isFrail: Bool) throws {
        rollBack()
        for _ in 0..<60 { bench.endTurn() }
        expect(isUnderWay)
        models.isFrail = isFrail
        let before = models.memory.begun
        bench.server.end()
        expect(isUnderWay == isFrail)
        expect(models.memory.begun == before + (isFrail ? [] : [Position(RefoldingTests.count)]))
        expect(try bench.server.declared.served["sums"]?.rows() == 41)
    }

    @Test func `a definition whose end is undone as the process ends answers again before models are stored`() throws {
        commits.isHeld = true
        log.commitFailure = .full("no room")
        bench.receive("UNDEFINE sums\n", from: "ann")
        for _ in 0..<10 { bench.endTurn() }
        expect(commits.isRunning && bench.server.declared.served["sums"] == nil)
        bench.server.end()
        expect(log.head == Position(RefoldingTests.count) && !isUnderWay)
        expect(try bench.server.declared.served["sums"]?.rows() == 41)
    }

    @Test func `entries of a source wait for it`() {
        let pair = ReplicaBench(RefoldingTests.slow)
        pair.source.connected("ann")
        RefoldingTests.fill(pair.source)
        pair.tick()
        let driver = pair.replica.server.driver
        let before = driver.acknowledged
        expect(before == Position(RefoldingTests.count))
        pair.replica.models.discard()
        driver.refolding.modelsReplaced()
        let heard = pair.ask("PING", behind: RefoldingTests.order(40))
        expect(heard.first?.number("position") == RefoldingTests.count, "the entry is not taken")
        expect(pair.ask("GET sums/a").first?.contains(#""n":41"#) == true)
        let acknowledged = driver.acknowledged
        expect(acknowledged == Position(RefoldingTests.count + 1))
    }

    @Test(arguments: [0, 7, 60])
    func `a checkpoint that is stored meanwhile is folded on from`(turns: Int) throws {
        let folder = TemporaryFolder()
        let stored = try StoredLoop(folder.store, RefoldingTests.slow)
        stored.loop.connected("ann")
        _ = stored.settled("DEFINE sums \"\(RefoldingTests.text)\"")
        for number in 0..<40 { _ = stored.loop.ask(RefoldingTests.order(number), from: "ann") }
        stored.loop.send("CHECKPOINT", from: "a")
        while !stored.loop.server.isStoring, stored.held.count > 0 {
            stored.held.run(0)
            stored.loop.run()
        }
        let isStoring = stored.loop.server.isStoring
        expect(isStoring)
        for number in 40..<50 { _ = stored.loop.ask(RefoldingTests.order(number), from: "ann") }
        let driver = stored.loop.server.driver
        driver.perform(driver.turn.appendFailed(.full("no room")))
        stored.loop.endTurn()
        for _ in 0..<turns { stored.loop.endTurn() }
        let isUnderWay = driver.isHalfFolded
        expect(isUnderWay)
        while stored.held.count > 0 { stored.held.run(0) }
        stored.settle()
        let isWhole = !driver.isHalfFolded && stored.loop.server.stopReason == nil
        expect(isWhole, "\(stored.loop.trace)")
        let questions = ["GET sums/a", "COUNT sums", "STREAMS", "LIST sums sort=n limit=100"]
        let answers = questions.map { stored.loop.ask($0, from: "ann") }
        expect(answers[0].first?.contains(#""n":50,"last":49"#) == true, "\(answers[0])")
        expect(answers[1].first?.number("count") == 51)
        stored.stop()
        let again = try StoredLoop(folder.store)
        again.loop.connected("ann")
        for (question, answer) in zip(questions, answers) { expect(again.loop.ask(question, from: "ann") == answer) }
        again.stop()
    }
}
