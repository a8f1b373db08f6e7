import Foundation
import Glibc
import TestSupport

/// What is done in each phase. Everything after `record` is seen by the images.
enum Plays {
    static func creation(_ stage: Stage) throws {
        try stage.record()
        try stage.start()
        let client = try stage.client()
        try client.define()
        for size in [10, 500, 2_000] { try client.append("note-1", size: size) }
        try stage.kill()
    }

    /// A store with some events that are in blocks, and some that are not.
    static func prepare(_ stage: Stage, events: Int = 20) throws {
        try stage.start()
        let client = try stage.client()
        try client.define()
        for number in 0..<events {
            try client.append("note-\(number % 3)", size: 100 + 37 * number)
            if number == events / 2 {
                client.ask("CHECKPOINT")
                try client.settle()
            }
        }
        try stage.kill()
    }

    static func oneClient(_ stage: Stage, _ random: inout SplitMix64) throws {
        try prepare(stage)
        try stage.record()
        try stage.start()
        let (client, reader) = (try stage.client(), try stage.client())
        reader.ask("SUBSCRIBE events from=1")
        for number in 0..<60 {
            try client.append("note-\(number % 5)", size: .random(in: 1...2_000, using: &random))
            reader.ask(
                random.pick("PING", "READ events/note-1 limit=3", "STREAMS note-*", "READ events limit=4 order=desc"))
            if random.oneIn(4) { try reader.settle() }
        }
        try reader.settle()
        try stage.kill()
    }

    static func groups(_ stage: Stage, rounds: Int, most: Int, _ random: inout SplitMix64) throws {
        try prepare(stage)
        try stage.record()
        try stage.start()
        let clients = try (0..<8).map { _ in try stage.client() }
        for _ in 0..<rounds {
            for (number, client) in clients.enumerated() {
                let events = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    Client.event(.random(in: 1...most, using: &random))
                }
                client.send("APPEND group-\(number)", "[\(events.joined(separator: ","))]")
                if random.oneIn(3) { client.send("APPEND group-\(number)", Client.event(10)) }
            }
            for client in clients { try client.settle() }
        }
        try stage.kill()
    }

    static func largeTurns(_ stage: Stage, _ random: inout SplitMix64) throws {
        try prepare(stage)
        try stage.record()
        try stage.start()
        let (client, other) = (try stage.client(), try stage.client())
        for round in 0..<6 {
            let events = Array(repeating: Client.event(4_000), count: 9 + round)
            other.send("APPEND small-\(round)", Client.event(700))
            try client.write("APPEND large-1", "[\(events.joined(separator: ","))]")
            for _ in 0..<3 { try client.append("note-1", size: .random(in: 1...2_000, using: &random)) }
            try other.settle()
        }
        try stage.kill()
    }

    /// A half has 60 sectors, one takes 464 bytes of records, and a record some 220 bytes beside its text.
    static func fullHalves(_ stage: Stage) throws {
        try stage.record()
        try stage.start()
        let client = try stage.client()
        for _ in 0..<121 { try client.append("note-1", size: 20) }
        for _ in 0..<62 { try client.append("note-2", size: 400) }
        for size in stride(from: 28_940, through: 29_120, by: 20) { try client.append("note-3", size: size) }
        try stage.kill()
    }

    static func termination(_ stage: Stage) throws {
        try prepare(stage)
        for round in 1...3 {
            if round == 1 { try stage.record() }
            try stage.start()
            let clients = try (0..<4).map { _ in try stage.client() }
            for (number, client) in clients.enumerated() {
                for _ in 0..<6 { client.send("APPEND last-\(number)", Client.event(300 * round)) }
            }
            try stage.stop()
        }
    }

    static func recovery(_ stage: Stage, _ random: inout SplitMix64) throws {
        try prepare(stage, events: 35)
        try stage.record()
        for round in 1...4 {
            // Every other start makes a journal of another size.
            if round % 2 == 0 { stage.journal = round * StoreCheck.journal }
            try stage.start()
            let client = try stage.client()
            for _ in 0..<5 * round { try client.append("note-1", size: .random(in: 1...1_500, using: &random)) }
            try stage.kill()
        }
        try stage.start()
        try stage.kill()
    }

    static func fullDisk(_ stage: Stage) throws {
        try prepare(stage)
        try stage.record()
        try stage.start(fileLimit: 190_000)
        let client = try stage.client()
        for round in 0..<90 {
            let isLarge = round % 9 == 8
            let events = Array(repeating: Client.event(isLarge ? 4_000 : 900), count: isLarge ? 10 : 2)
            try client.write("APPEND note-1", "[\(events.joined(separator: ","))]")
        }
        try stage.kill()
        try stage.start()
        let second = try stage.client()
        for _ in 0..<10 { try second.append("note-1", size: 1_000) }
        try stage.kill()
    }

    static func failedSync(_ stage: Stage, _ random: inout SplitMix64) throws {
        try prepare(stage)
        let journal = "log.journal"
        let names = [journal, "log/data.mdb", journal, "write:log/data.mdb", journal, journal, journal]
        for (number, name) in names.enumerated() {
            let count = Int.random(in: 3...9, using: &random)
            if number == 0 { try stage.record(failing: "\(name):\(count)") } else { try stage.fail("\(name):\(count)") }
            try stage.start()
            let client = try stage.client()
            do {
                for round in 0..<80 {
                    try client.append("note-1", size: .random(in: 1...1_500, using: &random))
                    if round % 5 == 4 { client.ask("CHECKPOINT") }
                }
            } catch is LineSocket.Closed {}
            try stage.waitForFailure()
        }
        try stage.fail(nil)
        try stage.start()
        try stage.client().append("note-1", size: 100)
        try stage.kill()
    }
}
