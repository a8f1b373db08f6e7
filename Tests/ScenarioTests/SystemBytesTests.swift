import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// Bytes of the system that are not UTF-8, and what else a process inherits.
    @Suite struct SystemBytesTests {
        /// Runs a script in an empty folder, in which `$L` is a name in Latin-1, with `stored` and `storectl`.
        private static func run(_ script: String) throws -> (exit: Exit, said: String, left: [String]) {
            let (folder, other) = (try Scratch(), try Scratch())
            let words =
                "L=$(printf 'caf\\351'); stored='\(try Program.path("stored"))'; "
                + "storectl='\(try Program.path("storectl"))'; cd '\(folder.path)'; "
            let said = other.place("said")
            let exit = try Program(["sh", "-c", words + script], output: said, errors: said).wait()
            return (exit, Files.text(said), try Files.names(in: folder.path))
        }

        @Test(arguments: [
            (#"$stored --data "$L" --socket s"#, "stored: --data: "), (#"$stored --data="$L""#, "stored: --data: "),
            (#"$stored --data d --socket "$L""#, "stored: --socket: "),
            (#"$stored "$L""#, "stored: the command line: "),
            (#"STORED_DATA="$L" $stored --socket s"#, "stored: STORED_DATA: "),
            (#"STORED_SOCKET="$L" $stored --data d"#, "stored: STORED_SOCKET: "),
            (#"NOTIFY_SOCKET="/$L" $stored --data d --socket s"#, "stored: NOTIFY_SOCKET: "),
            (#"$storectl --socket "$L" stats"#, "storectl: --socket: "),
            (#"STORED_SOCKET="$L" $storectl stats"#, "storectl: STORED_SOCKET: "),
            (#"$storectl --data "$L" verify"#, "storectl: --data: "),
            (#"STORED_DATA="$L" $storectl import </dev/null"#, "storectl: STORED_DATA: "),
            (#"$storectl post users --name "$L""#, "storectl: --name: "),
        ])
        func `what is not UTF-8 is named and refused, and nothing is made`(script: String, source: String) throws {
            let run = try Self.run(script)
            expect(run.exit == .code(2))
            expect(run.said.hasPrefix(source) && run.said.contains(#"caf\xe9" is not UTF-8"#), "\(run.said)")
            expect(run.left.isEmpty, "\(run.left)")
        }

        @Test(arguments: [
            #"mkdir -m 700 "$L"; cd "$L"; $stored --data d --socket ../s; code=$?; cd ..; rmdir "$L"; exit $code"#,
            #"mkdir -m 700 "$L"; ln -s "$L" l; $stored --data l/d --socket s; code=$?; rm l; rmdir "$L"; exit $code"#,
            #"mkdir "$L"; cd "$L"; $storectl backup b; code=$?; cd ..; rmdir "$L"; exit $code"#,
        ])
        func `a path that leads through such a name is refused as well`(script: String) throws {
            let run = try Self.run(script)
            expect(run.exit == .code(2))
            expect(run.said.contains(#"caf\xe9"#) && run.said.contains("is not UTF-8"), "\(run.said)")
            expect(run.left.isEmpty, "\(run.left)")
        }

        @Test func `a variable that is not needed may be anything`() throws {
            let script = #"HOME="/$L" $stored --data d --socket s --check"#
            expect(try Self.run(script).said == "settings OK: data d, socket s\n")
        }

        @Test(arguments: ["0000", "0777"])
        func `files are their owner's, whatever umask was inherited`(umask: String) throws {
            let command = ["sh", "-c", "umask \(umask); exec \"$0\" \"$@\""]
            let daemon = try RunningDaemon(command: command)
            expect(try daemon.client().ask(#"APPEND note-1 {"type":"A","data":{}}"#).hasPrefix("+"))
            expect(try daemon.client().ask("BACKUP \"\(daemon.folder.place("copy"))\"").hasPrefix("+"))
            for folder in ["/data", "/data/log", "/data/models", "/copy", "/copy/log"] {
                expect(Files.mode(daemon.folder.path + folder) == 0o700, "\(folder)")
            }
            for file in ["FORMAT", "lock", "log.journal", "log/data.mdb", "log/lock.mdb"] {
                expect(Files.mode(daemon.data + "/" + file) == 0o600, "\(file)")
            }
            expect(Files.mode(daemon.socket) == 0o600)
            expect(try daemon.stop() == .code(0))
            let restored = try daemon.shell("umask \(umask); $S --data $D/restored restore $D/copy")
            expect(restored.exit == .code(0), "\(restored.errors)")
            expect(Files.mode(daemon.folder.place("restored")) == 0o700)
            expect(Files.mode(daemon.folder.place("restored/log/data.mdb")) == 0o600)
        }

        @Test func `clients get through the socket's folder, whatever umask was inherited`() throws {
            let run = try Self.run(
                """
                umask 0077; $stored --data d --socket r/s --allow 61001=read 2>log & while ! grep -qs ready log; do sleep 0.1
                done; stat -c %a r r/s; kill $!; wait $!; rm -r d r log
                """)
            expect(run.said == "711\n660\n" || run.said == "711\n666\n")
        }
    }
}
