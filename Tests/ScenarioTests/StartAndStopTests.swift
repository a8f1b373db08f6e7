import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// Beginning, ending, and who may be there at all.
    @Suite struct StartAndStopTests {
        @Test func `of twenty daemons started at once on one directory exactly one lives`() throws {
            let folder = try Scratch()
            let (data, socket) = (folder.place("a/data"), folder.place("s"))
            let command = [try Program.path("stored"), "--data", data, "--socket", socket]
            let daemons = try (0..<20).map {
                try Program(command, output: folder.place("\($0)"), errors: folder.place("\($0)"))
            }
            try until("nineteen are refused") { daemons.count { $0.poll() == nil } <= 1 }
            for (number, daemon) in daemons.enumerated() where daemon.poll() != nil {
                expect(daemon.poll() == .code(2))
                let said = Files.text(folder.place("\(number)"))
                expect(said.contains("is held by ") || said.contains("another server answers"), "\(said)")
            }
            let survivor = try require(daemons.first { $0.poll() == nil })
            let trace = folder.place("\(try require(daemons.firstIndex { $0.poll() == nil }))")
            try until("the one that lives serves") { Files.text(trace).contains("ready") }
            let client = try LineSocket(socket)
            expect(try client.line().hasPrefix("*"))
            expect(try client.ask("PING") == #"+ {"position":0}"#)
            expect(Files.text(data + "/lock") == "\(survivor.pid)\n")
        }

        @Test func `something else at the socket's path is refused and left alone`() throws {
            let folder = try Scratch()
            let (place, said) = (folder.place("s"), folder.place("said"))
            try Files.write("precious", to: place)
            let command = [try Program.path("stored"), "--data", folder.place("a/b/data"), "--socket", place]
            expect(try Program(command, output: said, errors: said).wait() == .code(2))
            expect(Files.text(place) == "precious")
            expect(Files.text(said).contains("\(place) exists and is not a socket"), "\(Files.text(said))")
            expect(access(folder.place("a"), F_OK) != 0, "a start that is refused leaves nothing behind")
        }

        @Test(arguments: 8...30)
        func `a start that finds no descriptor left leaves nothing, or what can be started on`(limit: Int) throws {
            let folder = try Scratch()
            let said = folder.place("said")
            let command = [
                "sh", "-c", "ulimit -n \(limit); exec \"$0\" \"$@\"", try Program.path("stored"), "--data",
                folder.place("a/data"), "--socket", folder.place("s"),
            ]
            let daemon = try Program(command, output: said, errors: said)
            try until("it serves or ends") {
                Files.text(said).contains(" ready ") || Files.text(said).contains("stored: ")
            }
            guard !Files.text(said).contains(" ready ") else {
                kill(daemon.pid, SIGTERM)
                expect(try daemon.wait() == .code(0), "\(Files.text(said))")
                return
            }
            expect(try daemon.wait() == .code(2), "\(Files.text(said))")
            guard access(folder.place("a"), F_OK) == 0 else { return }
            let again = try RunningDaemon(data: folder.place("a/data"))
            expect(try again.client().ask("PING") == #"+ {"position":0}"#)
            expect(try again.stop() == .code(0))
        }

        @Test func `descriptors that the parent closed are none of the store's files`() throws {
            let folder = try Scratch()
            let (data, socket) = (folder.place("data"), folder.place("s"))
            let command = [
                "sh", "-c", "exec \"$0\" \"$@\" <&- >&- 2>&-", try Program.path("stored"), "--data", data, "--socket",
                socket,
            ]
            let daemon = try Program(command, output: folder.place("said"), errors: folder.place("said"))
            var connected: LineSocket?
            // There is a moment in which the socket has a name and nobody listens.
            try until("it serves") {
                connected = try? LineSocket(socket)
                return connected != nil
            }
            let client = try require(connected)
            expect(try client.line().hasPrefix("*"))
            expect(Files.text(data + "/lock") == "\(daemon.pid)\n")
            for signal in [SIGUSR1, SIGUSR2] { kill(daemon.pid, signal) }
            expect(try client.ask("PING") == #"+ {"position":0}"#)
            kill(daemon.pid, SIGTERM)
            expect(try daemon.wait() == .code(0))
            expect(Files.text(data + "/lock") == "\(daemon.pid)\n")
        }

        @Test func `a refused start leaves an empty folder empty, and a store as it was`() throws {
            let daemon = try RunningDaemon()
            expect(try daemon.client().ask(#"APPEND note-1 {"type":"A","data":{}}"#).hasPrefix("+"))
            let (folder, other) = (try Scratch(), try Scratch())
            let said = other.place("said")
            let command = [try Program.path("stored"), "--data", folder.path, "--socket", daemon.socket]
            expect(try Program(command, output: said, errors: said).wait() == .code(2))
            expect(try Files.names(in: folder.path) == [])
            expect(try daemon.stop() == .code(0))
            let (place, before) = (other.place("s"), try Files.names(in: daemon.data))
            try Files.write("precious", to: place)
            let again = [try Program.path("stored"), "--data", daemon.data, "--socket", place]
            expect(try Program(again, output: said, errors: said).wait() == .code(2))
            expect(try Files.names(in: daemon.data) == before)
            try daemon.start()
            expect(try daemon.client().ask("PING") == #"+ {"position":1}"#)
        }

        @Test func `a folder of something else is not taken over`() throws {
            let (folder, other) = (try Scratch(), try Scratch())
            let (said, thesis) = (other.place("said"), folder.place("thesis.tex"))
            try Files.write("precious", to: thesis)
            chmod(folder.path, 0o700)
            let command = [try Program.path("stored"), "--data", folder.path, "--socket", other.place("s")]
            expect(try Program(command, output: said, errors: said).wait() == .code(2))
            expect(Files.text(said).contains("thesis.tex is in it"), "\(Files.text(said))")
            expect(try Files.names(in: folder.path) == ["thesis.tex"])
        }

        @Test func `a closed terminal is a drain, unless it is to be ignored`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            daemon.send(SIGHUP)
            expect(try client.line() == #"* {"draining":true,"position":0}"#)
            expect(try daemon.wait() == .code(0))
            let ignored = try RunningDaemon(command: ["nohup"])
            ignored.send(SIGHUP)
            expect(try ignored.client().ask("PING") == #"+ {"position":0}"#)
            ignored.send(SIGTERM)
            expect(try ignored.wait() == .code(0))
        }

        @Test func `a stale socket is replaced, and everything is its owner's alone`() throws {
            let daemon = try RunningDaemon()
            try daemon.kill()
            expect(access(daemon.socket, F_OK) == 0, "the killed daemon leaves its socket behind")
            try daemon.start()
            expect(try daemon.client().ask("PING") == #"+ {"position":0}"#)
            expect(Files.mode(daemon.socket) == 0o600)
            for folder in ["", "/log", "/models"] { expect(Files.mode(daemon.data + folder) == 0o700, "\(folder)") }
            for file in ["/log/data.mdb", "/log/lock.mdb", "/models/data.mdb", "/FORMAT", "/lock"] {
                expect(Files.mode(daemon.data + file) == 0o600, "\(file)")
            }
        }

        @Test func `a directory that others may write to is refused`() throws {
            let daemon = try RunningDaemon()
            expect(try daemon.stop() == .code(0))
            chmod(daemon.data, 0o770)
            try daemon.launch()
            expect(try daemon.wait() == .code(2))
            expect(daemon.trace.contains("chmod 700"), "\(daemon.trace)")
        }

        @Test func `stopping tells every client, ends subscriptions with a place to resume, removes the socket`() throws
        {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            _ = try client.ask(#"APPEND note-1 {"type":"A","data":{}}"#)
            client.send("SUBSCRIBE events from=1")
            let heard = try (0..<3).map { _ in try client.line() }
            expect(heard[0] == #"+ {"subscription":1,"position":1}"#)
            expect(heard[2] == #">1 {"caughtUp":1}"#)
            daemon.send(SIGTERM)
            expect(try client.line() == #">1 {"end":"draining","resume":2}"#)
            expect(try client.line() == #"* {"draining":true,"position":1}"#)
            expect(try client.nextLine() == nil)
            expect(try daemon.wait() == .code(0))
            expect(access(daemon.socket, F_OK) != 0)
        }

        @Test func `clients that ask for nothing do not hold a stop up, and get what was sent to them`() throws {
            let usual = try Self.usualStop()
            let daemon = try RunningDaemon(isStarted: false)
            var fastest = Duration.seconds(60)
            for round in 0..<3 {
                try daemon.start()
                let (idle, subscriber, reader) = (try daemon.client(), try daemon.client(), try daemon.client())
                _ = try reader.ask(Load.append(to: "note-\(round)", count: 20, size: 1_000))
                subscriber.send("SUBSCRIBE events/note-\(round) from=1")
                while try !subscriber.line().contains("caughtUp") {}
                reader.send("READ events/note-\(round)")
                // The reply lies in the reader's socket, who does not look yet.
                usleep(100_000)
                let leaving = try daemon.client()
                expect(try leaving.ask("QUIT").hasPrefix("+"))
                let began = ContinuousClock.now
                expect(try daemon.stop() == .code(0))
                fastest = min(fastest, ContinuousClock.now - began)
                expect(try idle.line().hasPrefix(#"* {"draining":true"#))
                expect(try idle.nextLine() == nil)
                expect(try leaving.nextLine() == nil, "it never closed its end")
                expect(try subscriber.line().hasPrefix(#">1 {"end":"draining""#))
                for _ in 0..<20 { expect(try reader.line().hasPrefix("= ")) }
                expect(try reader.line().hasPrefix("+ "))
            }
            // A stop that waits for clients takes a second longer.
            expect(fastest < usual.limit(1, atLeast: .zero) + .milliseconds(700), "\(fastest)")
        }

        /// How long a start and a stop take that nobody holds up.
        private static func usualStop() throws -> Yardstick {
            let daemon = try RunningDaemon(isStarted: false)
            return try Yardstick {
                try daemon.start()
                expect(try daemon.stop() == .code(0))
            }
        }

        @Test func `a second SIGTERM does not wait for clients that take nothing`() throws {
            let usual = try Self.usualStop()
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for _ in 0..<10 { _ = try client.ask(Load.append(to: "note-1", count: 20, size: 20_000)) }
            let reader = try daemon.client()
            reader.send("READ events")
            usleep(200_000)
            daemon.send(SIGTERM)
            try until("the socket is gone") { access(daemon.socket, F_OK) != 0 }
            usleep(200_000)
            expect(daemon.exit == nil, "it waits for the reader")
            let began = ContinuousClock.now
            expect(try daemon.stop() == .code(0))
            // It would wait for five seconds.
            expect(ContinuousClock.now - began < usual.limit(10, atLeast: .seconds(2)))
        }

        @Test func `a clean stop and a start keep everything, and need no fold`() throws {
            let daemon = try RunningDaemon()
            _ = try daemon.client().ask(#"POST users {"id":"007","name":"A","email":"a@example.org","prefecture":1}"#)
            expect(try daemon.stop() == .code(0))
            try daemon.start()
            expect(try daemon.client().ask("GET users/007").hasPrefix(#"+ {"id":"007","version":1,"position":1,"#))
            expect(!daemon.trace.contains("recovered"), "\(daemon.trace)")
        }
    }
}
