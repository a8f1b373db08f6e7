import Foundation
import TestSupport
import Testing

/// The file of a token, and how `storeserve` starts.
@Suite(.timeLimit(.minutes(3))) struct TokenFileTests {
    /// Starts `storeserve` with options, and returns the address that it prints; nil where it ends.
    private static func start(_ options: [String], in folder: Scratch) throws -> (
        address: String?, errors: String, exit: Exit?
    ) {
        let (output, errors) = (folder.place("output"), folder.place("errors"))
        unlink(output)
        unlink(errors)
        let words = [try Program.path("storeserve"), "--socket", folder.place("none")] + options
        let program = try Program(words, output: output, errors: errors)
        try until("it prints an address or ends") { program.poll() != nil || Files.text(output).hasSuffix("\n") }
        let exit = program.poll()
        if exit == nil { program.send(SIGTERM) }
        return (exit == nil ? Files.text(output) : nil, Files.text(errors), exit)
    }

    private static func token(_ address: String?) -> String? {
        address?.wholeMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+\/\?token=([0-9A-Za-z_-]+)\n/).map { String($0.1) }
    }

    @Test func `a token of a file is made once, and kept by its user alone`() throws {
        let folder = try Scratch()
        let path = folder.place("token")
        let options = ["--listen", "127.0.0.1:0", "--token-file", path]
        let first = try #require(Self.token(try Self.start(options, in: folder).address))
        expect(Files.mode(path) == 0o600 && Files.text(path) == first + "\n" && first.count == 64)
        expect(try Self.token(Self.start(options, in: folder).address) == first)
        try Files.write(String(repeating: "my-token_", count: 4), to: path)
        expect(try Self.token(Self.start(options, in: folder).address) == String(repeating: "my-token_", count: 4))
        for (text, mode, reason) in [
            ("short\n", 0o600, "has no token"), ("", 0o600, "has no token"), (first, 0o640, "may be read by others"),
            ("\(first)\n\(first)\n", 0o600, "has no token"),
            (String(repeating: "a", count: 400), 0o600, "has no token"),
        ] {
            try Files.write(text, to: path)
            chmod(path, mode_t(mode))
            let refused = try Self.start(options, in: folder)
            expect(refused.exit == .code(2) && refused.errors.contains(reason), "\(refused)")
        }
        let none = try Self.start(["--listen", "127.0.0.1:0", "--token-file", folder.place("no/token")], in: folder)
        expect(none.exit == .code(2) && none.errors.contains("cannot be made: No such file or directory"))
    }

    @Test func `without a file each start has another token`() throws {
        let folder = try Scratch()
        let tokens = try (0..<3).map { _ in Self.token(try Self.start(["--listen", "127.0.0.1:0"], in: folder).address)
        }
        expect(Set(tokens).count == 3 && !tokens.contains(nil))
    }

    @Test func `an address of all machines, or one that is taken, is refused with the next step`() throws {
        let folder = try Scratch()
        for address in ["0.0.0.0:0", "[::]:0", "example.org:7117"] {
            let refused = try Self.start(["--listen", address], in: folder)
            expect(refused.exit == .code(2) && refused.errors.contains("ssh -L"), "\(refused)")
        }
        let gateway = try RunningGateway(folder.place("none"))
        let taken = try Self.start(["--listen", "127.0.0.1:\(gateway.port)"], in: folder)
        expect(
            taken.exit == .code(1) && taken.errors.contains("Address already in use; --listen 127.0.0.1:0 takes any"))
    }

    @Test func `a desktop's browser gets a link that admits once, and the signals of any program`() throws {
        let (daemon, folder) = (try RunningDaemon(), try Scratch())
        let opened = folder.place("opened")
        let program = folder.place("xdg-open")
        let script =
            "#!/bin/sh\ngrep -E '^Sig(Blk|Ign)' /proc/self/status > \(opened).part\n"
            + "echo $1 >> \(opened).part\nmv \(opened).part \(opened)\n"
        try Data(script.utf8).write(to: URL(fileURLWithPath: program))
        chmod(program, 0o700)
        let path = "PATH=\(folder.place("")):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        let gateway = try RunningGateway(
            daemon.socket, command: ["env", path, Program.path("storectl"), "serve", "--open"])
        try until("the browser is started") { !Files.text(opened).isEmpty }
        let lines = Files.text(opened).split(separator: "\n")
        expect(lines.count == 3 && lines[0].hasSuffix("\t0000000000000000"), "\(lines)")
        let ignored = try #require(UInt64(lines[1].suffix(16), radix: 16))
        expect(ignored & (1 << UInt64(SIGPIPE - 1) | 1 << UInt64(SIGCHLD - 1)) == 0, "\(lines)")
        let link = try #require(lines[2].wholeMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+(\/\?token=([0-9a-f]{64}))/))
        expect(link.2 != gateway.token)
        let host = ["Host: 127.0.0.1:\(gateway.port)"]
        let first = try #require(try gateway.get(String(link.1), headers: host))
        expect(first.status == 303 && first.head.contains("Set-Cookie: "), "\(first)")
        expect(try gateway.get(String(link.1), headers: host)?.status == 401)
        expect(try gateway.stop() == .code(0))
    }

    @Test func `storectl starts it beside the store that it finds`() throws {
        let daemon = try RunningDaemon()
        let gateway = try RunningGateway(daemon.socket, command: [Program.path("storectl"), "serve"])
        expect(try gateway.get("/api/ping")?.body == "{\"rows\":[],\"reply\":{\"position\":0}}\n")
        expect(try gateway.stop() == .code(0))
        let stopped = try RunningDaemon(isStarted: false)
        let away = try stopped.storectl("serve")
        expect(away.exit == .code(2) && away.errors.contains("cannot connect to"), "\(away)")
        let data = try daemon.storectl("serve", offline: true)
        expect(data.exit == .code(2) && data.errors.contains("--socket"), "\(data)")
    }
}
