import Foundation
import Glibc
import TestSupport
import Testing

extension HarmTests {
    /// What reads a directory beside its daemon makes durable what it tells of: a commit may be written, and not be synced.
    @Suite struct ReaderBesideTests {
        private static let events = "APPEND note-1 [{\"type\":\"Wrote\",\"data\":1},{\"type\":\"Wrote\",\"data\":2}]"

        /// What a run of `storectl` came to.
        private struct Run {
            let exit: Exit
            let output: String
            let errors: String
        }

        /// A daemon whose events are in its journal alone, and what makes calls of a reader fail.
        private static func bench() throws -> (RunningDaemon, Faults) {
            // Its ticks are so far apart that it flushes nothing.
            let daemon = try RunningDaemon(
                environment: ["LD_PRELOAD=\(Faults.library ?? "")", "FAULTS_TICK=600000"])
            expect(try daemon.client().ask(events).hasPrefix("+"))
            return (daemon, try Faults(daemon.folder.place("faults")))
        }

        private static func run(_ words: String, beside daemon: RunningDaemon, _ faults: Faults) throws
            -> Run
        {
            let (output, errors) = (daemon.folder.place("told"), daemon.folder.place("told-errors"))
            let command = [try Program.path("storectl"), "--data", daemon.data] + words.components(separatedBy: " ")
            let exit = try Program(
                command, environment: faults.environment(root: daemon.folder.path, tick: 100), output: output,
                errors: errors
            ).wait()
            return Run(exit: exit, output: Files.text(output), errors: Files.text(errors))
        }

        @Test(
            arguments: ["export", "read events", "streams", "replay", "verify"],
            ["data/log.journal", "data/log/data.mdb"])
        func `what cannot be made durable is not told`(verb: String, file: String) throws {
            let (daemon, faults) = try Self.bench()
            faults.arm([FaultRule(kinds: .sync, count: .max / 2, action: .fail, value: UInt64(EIO), path: file)])
            let refused = try Self.run(verb, beside: daemon, faults)
            expect(faults.struck(0) > 0 && refused.exit == .code(2), "\(refused)")
            expect(refused.output.isEmpty && refused.errors.contains("syncing"), "\(refused)")
            faults.disarm()
            let told = try Self.run(verb, beside: daemon, faults)
            expect(told.exit == .code(0) && !told.output.isEmpty, "\(told)")
            expect(try daemon.stop() == .code(0))
        }

        @Test func `a reader that syncs nothing is found by what it tells`() throws {
            let (daemon, faults) = try Self.bench()
            // The first rule takes the calls that the second one would make fail.
            faults.arm([
                FaultRule(kinds: .sync, count: .max / 2, action: .pretend, path: "data/log.journal"),
                FaultRule(kinds: .sync, count: .max / 2, action: .fail, value: UInt64(EIO), path: "data/log.journal"),
            ])
            let told = try Self.run("export", beside: daemon, faults)
            expect(told.exit == .code(0) && !told.output.isEmpty, "\(told)")
            expect(faults.struck(0) > 0)
            expect(try daemon.stop() == .code(0))
        }

        @Test func `a backup that is made of a served directory is made of what is durable`() throws {
            let (daemon, faults) = try Self.bench()
            faults.arm([FaultRule(kinds: .sync, action: .fail, value: UInt64(EIO), path: "data/log.journal")])
            let target = daemon.folder.place("restored")
            let (output, errors) = (daemon.folder.place("told"), daemon.folder.place("told-errors"))
            let exit = try Program(
                [try Program.path("storectl"), "--data", target, "restore", daemon.data],
                environment: faults.environment(root: daemon.folder.path, tick: 100), output: output, errors: errors
            ).wait()
            expect(exit == .code(2) && !FileManager.default.fileExists(atPath: target), "\(Files.text(errors))")
            expect(try daemon.stop() == .code(0))
        }
    }
}
