import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// Containers and services: the daemon and its clients see other processes, users and folders. Root alone makes them.
    @Suite(.enabled(if: Namespaces.canBeMade("--pid", "--fork", "--mount"), "this user makes no namespaces"))
    struct ContainerTests {
        /// Root of a container and root in a chroot may make none.
        private static let hasUserNamespaces = Namespaces.canBeMade("--user")

        private static let alone = "unshare --pid --fork --kill-child"
        private static let user = #"POST users {"id":"1","name":"a","email":"a@example.org","prefecture":1}"#

        /// A daemon that is process 1, with a user and a checkpoint.
        private static func daemon() throws -> RunningDaemon {
            let daemon = try RunningDaemon(command: alone.split(separator: " ").map(String.init))
            let client = try daemon.client()
            expect(try client.ask(user).hasPrefix("+"))
            expect(try client.ask("CHECKPOINT").hasPrefix("+"))
            return daemon
        }

        @Test(arguments: ["verify", "replay --verify", "export", "count users", "get users/1", "restore"])
        func `storectl reads beside a daemon of another container that has its number`(verb: String) throws {
            let daemon = try Self.daemon()
            let place = verb == "restore" ? "--data $D/restored restore $D/data" : "--data $D/data \(verb)"
            let run = try daemon.shell("\(Self.alone) $S \(place)")
            expect(run.exit == .code(0), "\(run.errors)")
            expect(!run.output.isEmpty && run.errors.isEmpty, "\(run.output)\(run.errors)")
            try daemon.kill()
        }

        @Test func `a reader makes way for any number that is taken, not for 1 alone`() throws {
            let daemon = try RunningDaemon()
            expect(try daemon.client().ask(Self.user).hasPrefix("+"))
            let last = "/proc/sys/kernel/ns_last_pid"
            guard Files.exists(last) else { return }
            let script = "echo $(($2 - 1)) >\(last); $1 --data $D/data count users; echo $?"
            let run = try daemon.shell("export D; \(Self.alone) sh -c '\(script)' sh $S \(daemon.pid)")
            expect(run.output == "1\n0\n", "\(run.output)\(run.errors)")
        }

        @Test func `an exit code of a reader is that of its run`() throws {
            let daemon = try Self.daemon()
            let run = try daemon.shell("\(Self.alone) $S --data $D/data get users/2")
            expect(run.exit == .code(1) && run.errors.contains("notFound"), "\(run.errors)")
            try daemon.kill()
        }

        @Test func `the slots of a reader in another container are kept while it lives, and freed after it`() throws {
            let daemon = try Self.daemon()
            let client = try daemon.client()
            expect(try client.ask(Load.append(to: "note-1", count: 1_000, size: 500)).hasPrefix("+"))
            // Stopped in the middle of its output, it holds a view of the log.
            let reader = try Program(
                [
                    "sh", "-c",
                    "\(Self.alone) \(try Program.path("storectl")) --data \(daemon.data) export | (sleep 3; wc -l)",
                ],
                output: daemon.folder.place("counted"), errors: daemon.folder.place("counted-errors"))
            for _ in 0..<20 {
                expect(try client.ask(Load.append(to: "note-1", count: 500, size: 500)).hasPrefix("+"))
                expect(try client.ask("CHECKPOINT").hasPrefix("+"))
            }
            expect(try reader.wait() == .code(0))
            expect(Files.text(daemon.folder.place("counted-errors")) == "")
            expect((Int(Files.text(daemon.folder.place("counted")).filter(\.isNumber)) ?? 0) >= 1_001)
            expect(try client.ask("VERIFY").hasPrefix("+"))
            try daemon.kill()
        }

        @Test func `a volume that can only be read is not read while a daemon writes it elsewhere`() throws {
            let daemon = try RunningDaemon()
            expect(try daemon.client().ask(Self.user).hasPrefix("+"))
            let script =
                "mkdir $D/ro; mount --bind -o ro $D/data $D/ro; mount -o remount,ro,bind $D/ro; $S --data $D/ro "
            func read() throws -> RunningDaemon.Run {
                try daemon.shell(
                    "export S D; unshare -m sh -c '\(script) count users'; code=$?; rmdir $D/ro; exit $code")
            }
            let beside = try read()
            expect(beside.exit == .code(2), "\(beside.output)")
            expect(beside.errors.contains("ask it by its socket"), "\(beside.errors)")
            expect(try daemon.stop() == .code(0))
            let alone = try read()
            expect(alone.exit == .code(0) && alone.output == "1\n", "\(alone.errors)")
        }

        @Test func `a backup that the daemon alone sees is none`() throws {
            let folder = try Scratch()
            let script = "mount -t tmpfs none '\(folder.path)'; exec \"$0\" \"$@\""
            let daemon = try RunningDaemon(command: ["unshare", "-m", "sh", "-c", script])
            let hidden = try daemon.storectl("backup", folder.place("copy"))
            expect(hidden.exit == .code(2) && hidden.output.isEmpty, "\(hidden.output)")
            expect(hidden.errors.contains("it is not there for you"), "\(hidden.errors)")
            try Files.write("something else", to: folder.place("other"))
            expect(try daemon.storectl("backup", folder.place("other")).exit == .code(2))
            let shared = try daemon.storectl("backup", daemon.folder.place("copy"))
            expect(shared.exit == .code(0) && shared.errors.isEmpty, "\(shared.errors)")
        }

        @Test(.enabled(if: hasUserNamespaces, "no user namespace can be made here"))
        func `users whom the daemon's user namespace does not know get no role`() throws {
            let daemon = try RunningDaemon(
                options: ["--allow", "65534=write"], command: ["unshare", "-U", "--map-root-user"])
            chmod(daemon.folder.path, 0o711)
            let script = "setpriv --reuid=12345 --regid=12345 --clear-groups $T stats"
            let tool = daemon.folder.place("tool")
            let run = try daemon.shell(
                "cp $S \(tool); chmod 755 \(tool); S=\(tool); T=\"\(tool) --socket \(daemon.socket)\"; \(script)")
            expect(run.exit == .code(3), "\(run.errors)")
            expect(run.errors.contains("denied: uid 65534 stands for every user without a number"), "\(run.errors)")
            expect(try daemon.client().ask("PING").hasPrefix("+"), "its own root is admin")
        }

        @Test(.enabled(if: hasUserNamespaces, "no user namespace can be made here"))
        func `a daemon without a user of its own lets nobody else in`() throws {
            let folder = try Scratch()
            chmod(folder.path, 0o777)
            let said = folder.place("said")
            let command = [
                "unshare", "-U", try Program.path("stored"), "--data", folder.place("d"), "--socket", folder.place("s"),
            ]
            let refused = try Program(command + ["--allow", "0=read"], output: said, errors: said)
            expect(try refused.wait() == .code(2))
            expect(Files.text(said).contains("run it as another user, or without allow"), "\(Files.text(said))")
        }

        @Test func `without /proc the words of a command line are read all the same`() throws {
            let daemon = try RunningDaemon()
            let hidden = "export HOME=$D/home; mount -t tmpfs none /proc; exec \"$0\" \"$@\""
            func run(_ words: String) throws -> RunningDaemon.Run {
                try daemon.shell("export D; unshare -m sh -c '\(hidden)' \(words)")
            }
            expect(try run("\(try Program.path("stored")) --version").output.hasPrefix("stored "))
            let wrong = try run("\(try Program.path("stored")) --nonsense")
            expect(wrong.exit == .code(2) && wrong.errors.contains("--nonsense is no option"), "\(wrong.errors)")
            expect(!Files.exists(daemon.folder.place("home")))
            let served = try RunningDaemon(
                command: ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /proc; exec \"$0\" \"$@\""])
            expect(try served.client().ask("PING").hasPrefix("+"))
            let metrics = try served.storectl("metrics").output
            expect(metrics.contains("# TYPE process_open_fds gauge") && !metrics.contains("\nprocess_open_fds "))
            expect(try served.storectl("--json", "stats").output.contains(#""sizes":{"log":"#))
            expect(try !served.storectl("--json", "stats").output.contains(#""memory":"#))
        }

        @Test func `a store in memory says so`() throws {
            let script =
                "mkdir $D/memory; mount -t tmpfs -o mode=700 none $D/memory; $0 --data $D/memory --socket $D/m & "
                + "while ! $1 --socket $D/m pipe </dev/null 2>/dev/null; do sleep 0.1; done; "
                + "echo PING | nc -NU $D/m | head -1; $1 --socket $D/m --json stats; kill $!; wait"
            let daemon = try RunningDaemon()
            let stored = try Program.path("stored")
            let run = try daemon.shell("export D; unshare -m sh -c '\(script)' \(stored) $S")
            expect(run.output.contains(#""durable":"memory""#), "\(run.output)\(run.errors)")
            expect(run.errors.contains(" in-memory data="), "\(run.errors)")
            expect(try LineSocket(daemon.socket).line().contains(#""durable":"fsync""#))
            expect(!daemon.trace.contains("in-memory"))
        }

        @Test func `without a socket of its own, storectl finds that of the service`() throws {
            let daemon = try RunningDaemon()
            let found = "mount -t tmpfs none /run; mkdir /run/storykeep; ln -s $2 /run/storykeep/stored.sock; "
            let run = "env -u STORED_SOCKET -u STORED_DATA XDG_RUNTIME_DIR=$D/none HOME=$D/home $1"
            func shell(_ script: String) throws -> RunningDaemon.Run {
                try daemon.shell("export D; unshare -m sh -c '\(script)' sh $S \(daemon.socket)")
            }
            let service = try shell(found + run + " --json stats")
            expect(service.exit == .code(0) && service.output.contains(daemon.data), "\(service.errors)")
            // Own data come before the service's, for what can be read without a daemon.
            expect(try shell(found + run + " verify").output.contains("verified"))
            expect(try shell(found + "mkdir -p $D/home/.local/share/storykeep; " + run + " verify").exit == .code(2))
            let named = try shell(found + run + " --socket $D/none stats")
            expect(named.exit == .code(2) && !named.errors.contains("/run/storykeep"), "\(named.errors)")
            let nobody = try shell("mount -t tmpfs none /run; " + run + " stats")
            expect(nobody.exit == .code(2))
            for path in [daemon.folder.place("none/storykeep/stored.sock"), "/run/storykeep/stored.sock"] {
                expect(nobody.errors.contains(path + ": No such file or directory"), "\(nobody.errors)")
            }
        }
    }
}
