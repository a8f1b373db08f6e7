import Glibc
import StoryClient
import TestSupport
import Testing

@Suite struct RequestPipeTests {
    /// Runs a pipe over input text; what it was told, as `line:kind:json`.
    private func run(
        _ input: String, _ server: ScriptedServer
    ) throws -> (told: [String], summary: RequestPipe.Summary) {
        let file = tmpfile()
        defer { if let file { fclose(file) } }
        fputs(input, file)
        rewind(file)
        let connection = try StoreConnection(to: server.address, timeout: TestTimeout.duration)
        var pipe = RequestPipe(over: connection, from: fileno(file), request: RequestPipe.plainRequest)
        var told: [String] = []
        try pipe.run { told.append("\($0.line):\($0.reply.kind):\($0.reply.text)") }
        return (told, pipe.summary)
    }

    @Test func `replies find the lines of their requests, and blanks and comments are skipped`() throws {
        let server = try ScriptedServer.answering { $0 == "BAD" ? "- {\"b\":1}\n" : "= {}\n+ {}\n" }
        let (told, summary) = try run("PING\n\n# a comment\n  \nBAD\nLAST", server)
        expect(told == ["1:row:{}", "1:done:{}", "5:failed:{\"b\":1}", "6:row:{}", "6:done:{}"])
        expect((summary.requests, summary.done, summary.failed, summary.unanswered) == (3, 2, 1, 0))
    }

    @Test func `PING is sent first and before what is doubtful, and told of nowhere`() throws {
        let file = tmpfile()
        defer { if let file { fclose(file) } }
        fputs("A\n{\n{\nB\n", file)
        rewind(file)
        let server = try ScriptedServer.answering { "+ {\"line\":\"\($0)\"}\n" }
        var pipe = RequestPipe(
            over: try StoreConnection(to: server.address, timeout: .seconds(30)), from: fileno(file),
            isDoubtful: { $0 == Array("{".utf8) }, request: RequestPipe.plainRequest)
        var told: [String] = []
        try pipe.run { told.append("\($0.line) \($0.reply.text)") }
        expect(told == [#"1 {"line":"A"}"#, #"2 {"line":"{"}"#, #"3 {"line":"{"}"#, #"4 {"line":"B"}"#])
        expect((pipe.summary.requests, pipe.summary.done, pipe.summary.unanswered) == (4, 4, 0))
    }

    @Test func `an input that cannot be read is named, and what was sent before it is answered`() throws {
        let server = try ScriptedServer.answering { _ in "+ {}\n" }
        let folder = open("/", O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        var pipe = RequestPipe(
            over: try StoreConnection(to: server.address, timeout: .seconds(30)), from: folder,
            request: RequestPipe.plainRequest)
        #expect(throws: ClientError.unreadableInput(reason: "Is a directory")) { try pipe.run { _ in } }
        expect(pipe.summary.unanswered == 0)
    }

    @Test func `a server that reads no more until its replies are read does not stop the pipe`() throws {
        let answer = "+ {\"x\":\"" + String(repeating: "y", count: 1_000) + "\"}\n"
        let server = try ScriptedServer.answering { _ in answer }
        let input = String(repeating: "PING " + String(repeating: "z", count: 500) + "\n", count: 10_000)
        let (told, summary) = try run(input, server)
        expect(told.count == 10_000)
        expect(summary.done == 10_000)
    }

    @Test func `requests without an answer are counted when the server hangs up`() throws {
        let server = try ScriptedServer { server in
            server.write(ScriptedServer.greeting)
            // The pipe's own PING comes first.
            for _ in 0..<2 {
                _ = server.readLine()
                server.write("+ {}\n")
            }
        }
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        defer { close(ends[0]) }
        write(ends[1], "A\nB\nC\n", 6)
        close(ends[1])
        var pipe = RequestPipe(
            over: try StoreConnection(to: server.address), from: ends[0], request: RequestPipe.plainRequest)
        #expect(throws: ClientError.connectionLost) { try pipe.run { _ in } }
        expect((pipe.summary.done, pipe.summary.unanswered) == (1, 2))
    }
}
