import TestSupport

/// Phases in which models are stored and stores are copied.
extension Plays {
    private static func users(_ client: Client, _ count: Int) throws {
        for number in 1...count {
            client.send(
                "POST users",
                #"{"id":"u\#(number)","name":"U \#(number)","email":"u\#(number)@example.org","prefecture":13}"#)
        }
        try client.settle()
    }

    private static func story(_ number: Int, size: Int) -> String {
        let message = String(repeating: "y", count: size)
        return #"{"id":"s\#(number)","title":"T \#(number &* 7_919 % 10_007)","message":"\#(message)","#
            + #""sender":"u1","recipient":"u2"}"#
    }

    static func smallCheckpoints(_ stage: Stage) throws {
        try stage.start()
        try users(try stage.client(), 3)
        try stage.kill()
        try stage.record()
        try stage.start()
        let (client, other) = (try stage.client(), try stage.client())
        // The model is defined, built and stored while the power may fail.
        try client.define()
        other.ask("SUBSCRIBE stories")
        for round in 1...8 {
            for number in 1...3 { try client.write("POST stories", story(10 * round + number, size: 50 * number)) }
            other.ask("CHECKPOINT")
            try client.write("LIKE stories/s\(10 * round + 1)", #"{"user":"u3"}"#)
            try client.write(
                "POST messages", #"{"text":"Hi","sender":"u1","recipient":"u3","story":"s\#(10 * round + 2)"}"#)
            if round % 2 == 0 { try client.write("DELETE stories/s\(10 * round + 3)", "") }
            // The rows are taken over.
            if round == 4 { try client.define(DeclaredLoad.indexedAnew) }
            client.ask("LIST stories limit=3")
            client.ask("LIST \(DeclaredLoad.name) limit=3")
            client.ask("GET stories/s\(10 * round + 1)")
            try client.settle()
            try other.settle()
        }
        try stage.stop()
    }

    static func checkpointInPieces(_ stage: Stage) throws {
        try stage.start()
        let first = try stage.client()
        try users(first, 2)
        for number in 1...9_700 {
            first.send("POST stories", story(number, size: 800))
            if number % 200 == 0 { try first.settle() }
        }
        first.ask("CHECKPOINT")
        try first.settle()
        // Four stories lie on a page. The checkpoint counts a page where a place lies far from the one before, and that is
        // so for three of four of these.
        for number in stride(from: 1, through: 9_700, by: 3) {
            first.send("LIKE stories/s\(number)", #"{"user":"u1"}"#)
            if number % 300 == 1 { try first.settle() }
        }
        try first.settle()
        try stage.kill()
        try stage.record()
        try stage.start()
        let client = try stage.client()
        client.ask("CHECKPOINT")
        try client.settle()
        try client.append("note-1", size: 100)
        try stage.kill()
    }

    static func backup(_ stage: Stage) throws {
        try stage.start()
        let first = try stage.client()
        for _ in 0..<60 { try first.append("note-1", size: 900) }
        try stage.kill()
        try stage.record()
        try stage.start()
        let (client, copier) = (try stage.client(), try stage.client())
        for name in ["copy-1", "copy-2"] {
            copier.ask(#"@\#(name) BACKUP "\#(stage.root)/\#(name)""#)
            for _ in 0..<6 { try client.append("note-2", size: 400) }
            try copier.settle()
            stage.copies[name] = "+@\(name) "
        }
        try stage.kill()
    }

    static func restore(_ stage: Stage) throws {
        try stage.start()
        let client = try stage.client()
        for _ in 0..<40 { try client.append("note-1", size: 900) }
        client.ask(#"BACKUP "\#(stage.root)/copy""#)
        try client.settle()
        try stage.stop()
        try stage.record()
        try stage.run(["storectl", "--json", "--data", "\(stage.root)/restored", "restore", "\(stage.root)/copy"])
        stage.copies["restored"] = #"{"restored""#
    }
}
