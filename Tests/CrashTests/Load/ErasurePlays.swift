import TestSupport

/// Events that are erased while others are written.
extension Plays {
    /// What stands in the content that is erased, and nowhere else.
    private static let secret = "Vanishes"

    static func erasure(_ stage: Stage) throws {
        try prepare(stage)
        try stage.start()
        let client = try stage.client()
        try client.write("DEFINE secrets", #""from secret; body: text; on Kept { body = data.body }""#)
        for number in 1...8 { try keep(number, client) }
        client.ask("CHECKPOINT")
        try client.settle()
        for number in 9...12 { try keep(number, client) }
        try fillRows(client)
        try stage.kill()
        stage.gone = [
            "\(secret)-odd": "+@odd ", "\(secret)-even": "+@even ", "\(secret)-row": "+@row ",
            "\(secret)-tag": "+@tag ",
        ]
        try stage.record()
        try stage.start()
        let (eraser, other) = (try stage.client(), try stage.client())
        eraser.ask(#"@odd ERASE events/secret-1 reason="tried""#)
        for number in 0..<12 { try other.append("note-\(number % 3)", size: 300 * number) }
        try eraser.settle()
        eraser.ask(#"@even ERASE events/secret-0 reason="tried""#)
        for number in 0..<3 { try other.append("note-\(number)", size: 900) }
        try eraser.settle()
        eraser.ask(#"@row ERASE users/ann reason="tried""#)
        eraser.ask(#"@tag ERASE events tags=\#(secret)-tag labels=drop reason="tried""#)
        for number in 0..<3 { try other.append("note-\(number)", size: 500) }
        try eraser.settle()
        try other.append("note-1", size: 100)
        try stage.kill()
    }

    /// A user with stories, whose rows are erased, and events whose tags are.
    private static func fillRows(_ client: Client) throws {
        let text = "\(secret)-row text"
        let user = #"{"id":"ann","name":"\#(text)","email":"\#(secret)-row@a.org","prefecture":13}"#
        try client.write("POST users", user)
        for number in 1...5 {
            let story =
                #"{"id":"s\#(number)","title":"\#(text)","message":"\#(text)","sender":"ann","recipient":"ann"}"#
            try client.write("POST stories", story)
            try client.write("LIKE stories/s\(number)", #"{"user":"ann"}"#)
        }
        client.ask("CHECKPOINT")
        try client.settle()
        try client.write("DELETE stories/s5", "")
        for number in 1...3 {
            let event = #"{"type":"Kept","tags":["\#(secret)-tag"],"data":{"n":\#(number)}}"#
            try client.write("APPEND tagged-\(number)", event)
        }
    }

    private static func keep(_ number: Int, _ client: Client) throws {
        let body = String(repeating: "\(secret)-\(number % 2 == 0 ? "even" : "odd") ", count: number % 3 == 0 ? 90 : 1)
        try client.write("APPEND secret-\(number % 2)", #"{"type":"Kept","data":{"body":"\#(body)"}}"#)
    }
}
