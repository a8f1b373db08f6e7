import Glibc
import StoryCore
import StoryOffline
import StoryStorage
import TestSupport

/// What is looked at when a story was played as far as it went.
extension Play {
    private var kills: Bool {
        rules.indices.contains {
            faults.struck($0) > 0 && [.killBefore, .killAfter, .killWithin].contains(rules[$0].action)
        }
    }

    /// What a failing call was, for a person.
    var hits: String { rules.indices.map { faults.hit($0) }.filter { !$0.isEmpty }.joined(separator: ", then ") }

    /// After a disk that was full has room again, writes are taken within a moment.
    func checkWriting() throws {
        guard faults.struck(0) > 0 else { return }
        var reply: String?
        for number in 0..<3_000 {
            sockets[0].send(#"APPEND again-1 key=again\#(number) {"type":"Wrote","data":1}"#)
            repeat { reply = try sockets[0].nextLine() } while reply?.hasPrefix(">") == true
            guard let line = reply else { break }
            let position = line.number("position")
            ledger.writes.append(
                Ledger.Write(
                    key: "again\(number)", count: 1,
                    outcome: line.hasPrefix("+") ? position.map { .acknowledged($0) } ?? .unknown : .refused(line)))
            if line.hasPrefix("+") { return }
            usleep(20_000)
        }
        // What failed before may only now be seen; then the daemon has ended.
        if let reply { complaints.append("with room again a write is still answered \(reply)") }
    }

    /// However it ended, it said why, and it was not by a signal of its own.
    func checkEnd() throws {
        let exit = try daemon.wait()
        let trace = daemon.trace
        let isSuspect = trace.contains("storage-failed")
        switch (end, exit) {
        case (_, .signal(SIGKILL)) where kills: break
        case (.ended(_, isStart: true), .code(let code)) where [2, 3, 5].contains(code):
            let last = trace.split(separator: "\n").last ?? ""
            if !last.hasPrefix("stored: ") { complaints.append("it ended with \(code) and said \(last)") }
        case (_, .code(5)) where isSuspect: break
        // It was asked to end in the moment between its loop and its own end, when the signal has its default again.
        case (_, .signal(SIGTERM)) where isSuspect: break
        case (.played, .code(0)) where !isSuspect: break
        default: complaints.append("it ended with \(exit)")
        }
        if trace.contains("Fatal error") { complaints.append("it trapped") }
    }

    /// Starts it unharmed: it has what it should, takes writes, loses none of them, and its models are its log, folded.
    func checkStore() throws {
        try daemon.start()
        started()
        complaints += try ledger.complaints(daemon.client(), after: base)
        do { try DeclaredLoad.check(daemon.client()) } catch { complaints.append("\(error)") }
        let client = try daemon.client()
        let replies = try (1...3).map {
            try client.ask(#"APPEND after-1 key=after\#($0) {"type":"Wrote","data":\#($0)}"#)
        }
        try daemon.kill()
        try daemon.start()
        started()
        let again = try daemon.client()
        for (number, reply) in zip(1..., replies) {
            let repeated = try again.ask(#"APPEND after-1 key=after\#(number) {"type":"Wrote","data":\#(number)}"#)
            if !reply.hasPrefix("+ {") || repeated != reply.dropLast() + #","repeated":true}"# {
                complaints.append("a write after it was answered \(reply), and then \(repeated)")
            }
        }
        let head = try again.ask("PING").number("position")
        let verified = try again.ask("VERIFY")
        // An erasure may end meanwhile, which is an event.
        let last = try again.ask("PING").number("position")
        if !((head ?? .max)...(max(head ?? .max, last ?? 0)) ~= (verified.number("verified") ?? 0)) {
            complaints.append("VERIFY at \(head ?? 0) to \(last ?? 0) says \(verified)")
        }
        again.hangUp()
        let exit = try daemon.stop()
        if exit != .code(0) { complaints.append("the last stop ended with \(exit)") }
        try checkModels()
        if let slowest = starts.max(), slowest >= .seconds(1) { complaints.append("a start took \(slowest)") }
    }

    /// The stored models are the log, folded anew.
    private func checkModels() throws {
        letGo()
        var options = Replay.Options()
        options.isVerifying = true
        let report = try Replay(DataDirectory(daemon.data, for: .reading), catalogue: .standard, clock: .system).run(
            options
        ) { _, _ in }
        for model in report.models where model.stored != model.digest {
            complaints.append("\(model.model) differs from the log, folded: \(model.difference ?? "")")
        }
    }
}
