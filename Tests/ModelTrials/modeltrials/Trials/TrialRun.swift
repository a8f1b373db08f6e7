import StoryCore
import TestSupport

/// A trial through the loop: the model is defined at some time, events are appended, the process is started again, and
/// every answer is that of the plain model.
final class TrialRun {
    private let trial: Trial
    private let loop: ModelLoop
    private let plain: PlainModel
    private let limits: Limits
    private var random: SplitMix64
    private var followed: [FollowedList] = []
    /// The rows after each event of models whose rows are of one stream, by position.
    private var past: [(position: UInt64, time: Int64, rows: [String: String])] = []
    private var isDefined = false
    /// The newest definition, which differs from the trial's in indexes, sorts and lines alone.
    private var newest: Redefinition
    /// Draws the other indexes; the course of the trial does not depend on it.
    private var indexing: SplitMix64

    init(_ trial: Trial) throws {
        (self.trial, random) = (trial, trial.random)
        newest = Redefinition(text: trial.text)
        indexing = SplitMix64(seed: trial.seed &+ 0x1DE5)
        var limits = Limits()
        // Every second trial folds all events before they are appended, an instruction or a row a turn.
        if trial.seed % 2 == 0 { (limits.shortFold, limits.foldStep) = (.zero, Work(nanoseconds: 1)) }
        self.limits = limits
        loop = try ModelLoop(limits)
        plain = PlainModel(trial.tree)
    }

    /// - Throws: the first difference.
    func run() throws {
        let count = trial.events.count
        let defined = random.pick(0, count / 2, count, Int.random(in: 0...count, using: &random))
        var next = 0
        while next < count {
            if next >= defined, !isDefined { try define() }
            let most = isDefined ? count : defined
            let together = min(random.pick(1, 1, 1, 2, 5), most - next)
            try append(Array(trial.events[next..<next + together]))
            next += together
            if random.oneIn(25) { try restart() }
            if isDefined, random.oneIn(10) { try checkFollowed() }
            if isDefined, indexing.oneIn(12) { try index() }
        }
        if !isDefined { try define() }
        try check()
        if random.oneIn(3) {
            try restart()
            try check()
        }
        try checkPast()
        // The bound that is known before an event is folded holds, and a step does one thing more than its share at most:
        // the largest is to read an event of some 50 KB.
        guard loop.longestFold <= limits.shortFold, loop.longestStep <= Work(microseconds: 1_000) else {
            throw Difference("a fold took \(loop.longestFold), a step \(loop.longestStep) too long")
        }
        try Laws(newest, loop, plain).check()
    }

    /// Gives the model other indexes and sorts: its rows are taken over.
    private func index() throws {
        guard let next = newest.indexed(trial, &indexing) else { return }
        guard LineMapping(from: Array(newest.text.utf8), to: Array(next.text.utf8)) != nil else {
            throw Difference("these make other rows:\n\(newest.text)\n\(next.text)")
        }
        let answer = loop.ask("DEFINE tried \(PlainValue.quoted(Array(next.text.utf8)))")
        guard answer.last?.hasPrefix("+") == true, let number = answer.last?.number("definition") else {
            throw Difference("DEFINE: \(answer)\n\(next.text)")
        }
        // Where comments and lines alone differ, the definition stays, with its text.
        if answer.last?.contains(#""changed":false"#) == true { return }
        newest = next
        newest.number = number
        let model = loop.ask("MODELS tried").first ?? ""
        guard model.number("definition") == number, model.text("state") == "ready" else {
            throw Difference("definition \(number) of\n\(next.text)\nis not ready: \(model)")
        }
    }

    private func define() throws {
        let answer = loop.ask("DEFINE tried \(PlainValue.quoted(Array(trial.text.utf8)))")
        guard answer.last?.hasPrefix("+") == true else { throw Difference("DEFINE: \(answer)") }
        isDefined = true
        try follow()
    }

    private func restart() throws {
        try loop.restart(isKilled: random.oneIn(2))
        if isDefined { try follow() }
    }

    private func append(_ events: [Trial.Planned]) throws {
        loop.pass(milliseconds: events[0].after)
        let receipts = loop.ask(events.map(\.line))
        guard receipts.count == events.count else { throw Difference("\(events.map(\.line)): \(receipts)") }
        for (event, receipt) in zip(events, receipts) {
            guard receipt.hasPrefix("+"), let position = receipt.number("position"),
                let version = receipt.number("version"),
                let time = receipt.text("time").flatMap({ PlainTime.read(Array($0.utf8)) })
            else { throw Difference("\(event.line): \(receipt)") }
            plain.fold(event.event(position: position, version: version, time: time))
            guard trial.tree.isOfOneStream else { continue }
            let rows = plain.rows.keys.map { (PlainValue.id($0), plain.json($0)) }
            past.append((position, time, Dictionary(uniqueKeysWithValues: rows)))
        }
    }

    // MARK: Lists that are followed

    private func follow() throws {
        followed = [FollowedList(1, nil)]
        loop.follow("SUBSCRIBE tried")
        var questions = Questions(plain, random)
        if let filter = questions.filter() {
            let question = PlainQuestion(filters: [filter])
            followed.append(FollowedList(2, filter))
            loop.follow("SUBSCRIBE tried\(question.options)")
        }
        random = questions.random
        try checkFollowed()
    }

    private func checkFollowed() throws {
        for line in loop.heard() {
            if line.hasPrefix("-") { throw Difference("SUBSCRIBE: \(line)") }
            for index in followed.indices { followed[index].hear(line) }
        }
        for list in followed {
            let question = PlainQuestion(filters: list.filter.map { [$0] } ?? [])
            let keys = plain.list(question)
            let rows = Dictionary(uniqueKeysWithValues: keys.map { (PlainValue.id($0), plain.json($0)) })
            try Difference.check(
                list.rows.sorted { $0.key < $1.key }.map(\.value),
                rows.sorted { $0.key < $1.key }.map(\.value), "SUBSCRIBE tried\(question.options)")
        }
    }

    // MARK: Questions

    private func check() throws {
        try checkFollowed()
        try ask(PlainQuestion(isAscending: true), limit: 1_000)
        for (key, _) in plain.ordered.prefix(5) {
            try Difference.check(loop.ask("GET tried/\(PlainValue.id(key))").last, "+ \(plain.json(key))", "GET")
        }
        let misfits = loop.ask("READ misfits/tried limit=1000")
        let expected = plain.misfits.map {
            #"= {"position":\#($0.position),"line":\#($0.misfit.line + newest.linesBefore),"#
                + #""rule":"\#($0.misfit.rule.rawValue)","#
        }
        let found = misfits.dropLast().map { line in
            String(line[..<(line.firstRange(of: "\"statement\"")?.lowerBound ?? line.endIndex)])
        }
        try Difference.check(found, expected, "READ misfits/tried")
        try Difference.check(misfits.last?.number("total"), UInt64(plain.misfitCount), "misfits")
        var questions = Questions(plain, random)
        for _ in 0..<4 { try ask(questions.question(), limit: questions.random.pick(1, 2, 3, 7, 1_000)) }
        random = questions.random
    }

    private func ask(_ question: PlainQuestion, limit: Int) throws {
        let expected = plain.list(question).map { plain.json($0) }
        try Difference.check(try pages(question, limit), expected, "LIST tried\(question.options) limit=\(limit)")
        let count = loop.ask("COUNT tried\(question.options)")
        // The order of a list is none of a count.
        var counted = question
        counted.isAscending = false
        let answer = question.isAscending ? loop.ask("COUNT tried\(counted.options)") : count
        try Difference.check(
            answer.last?.number("count"), UInt64(expected.count), "COUNT tried\(counted.options): \(answer)")
        guard !question.isAscending || question.sort != "created" else { return }
        try checkReverse(question)
    }

    /// The rows of all pages.
    private func pages(_ question: PlainQuestion, _ limit: Int) throws -> [String] {
        var (rows, after, count) = ([String](), "", 0)
        repeat {
            let lines = loop.ask("LIST tried\(question.options) limit=\(limit)\(after)")
            guard let last = lines.last, last.hasPrefix("+") else { throw Difference("LIST: \(lines)") }
            let page = lines.dropLast().map { String($0.dropFirst(2)) }
            rows += Planted.is(.pageIsShort) && last.text("next") != nil ? page.dropLast() : page
            guard let next = last.text("next") else { return rows }
            after = " after=\(PlainValue.quoted(Array(next.utf8)))"
            count += 1
        } while count < 2_000
        throw Difference("LIST tried\(question.options) limit=\(limit) has no end")
    }

    /// `desc` is the reverse of `asc` among the rows that have the field, and the others are last.
    private func checkReverse(_ question: PlainQuestion) throws {
        var other = question
        other.isAscending.toggle()
        let (rows, reverse) = (try pages(question, 1_000), try pages(other, 1_000))
        let absent = question.sort == "created" ? 0 : plain.rows.values.count { $0.fields[question.sort] == nil }
        let isBounded = question.since != nil || question.until != nil
        guard question.filters.isEmpty, !isBounded else { return }
        try Difference.check(
            Array(rows.dropLast(absent)), reverse.dropLast(absent).reversed(), "desc of\(question.options)")
        try Difference.check(rows.suffix(absent), reverse.suffix(absent), "absent of\(question.options)")
    }

    private func checkPast() throws {
        guard trial.tree.isOfOneStream, let last = past.last else { return }
        for _ in 0..<6 {
            let state = past[Int.random(in: 0..<past.count, using: &random)]
            let isTimed = random.oneIn(4)
            // The last event of a time is meant.
            let shown = isTimed ? past.last { $0.time <= state.time } ?? last : state
            let id = random.pick("1", "2", "3", "x-y", "T.1~_")
            let at = isTimed ? PlainTime.text(state.time) : "\(state.position)"
            let answer = loop.ask("GET tried/\(id) at=\(at)").last ?? ""
            let expected = (Planted.is(.stateIsOfNow) ? last : shown).rows[id]
            guard let expected else {
                try Difference.check(answer.text("code"), "notFound", "GET tried/\(id) at=\(at): \(answer)")
                continue
            }
            try Difference.check(answer, "+ \(expected)", "GET tried/\(id) at=\(at)")
        }
    }
}

/// A list as its follower knows it.
struct FollowedList {
    let number: Int
    let filter: (field: String, given: PlainValue)?
    private(set) var rows: [String: String] = [:]
    private var count = 0

    init(_ number: Int, _ filter: (field: String, given: PlainValue)?) { (self.number, self.filter) = (number, filter) }

    /// Takes a push of this subscription.
    mutating func hear(_ line: String) {
        guard line.hasPrefix(">\(number) ") else { return }
        count += 1
        if Planted.is(.pushIsLost), count % 5 == 0 { return }
        if line.hasPrefix(">\(number) {\"again\":") {
            rows = [:]
        } else if let start = line.firstRange(of: #""row":"#), let id = line.text("id") {
            rows[id] = String(line[start.upperBound...].dropLast())
        } else if let id = line.text("removed") {
            rows[id] = nil
        }
    }
}
