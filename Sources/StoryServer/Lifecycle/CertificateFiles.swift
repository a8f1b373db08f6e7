import Glibc
package import StoryNetwork
import StoryReactor

/// The daemon's files of certificates, which are read again when they change.
package final class CertificateFiles {
    private let files: TLSFiles
    private let trace: Trace
    /// The version that was read last, and the one at the last look.
    private var (read, seen): ([Int], [Int])
    /// The certificates that are shown and accepted now.
    let first: TLSContext

    /// Reads the files.
    ///
    /// - Throws: `StartError`, which names the setting of the file at fault.
    package init(_ files: TLSFiles, _ trace: Trace) throws(StartError) {
        self.files = files
        self.trace = trace
        // Looked at before they are read, so that a change meanwhile is noticed.
        read = CertificateFiles.version(of: files)
        seen = read
        first = try CertificateFiles.context(.server, files)
    }

    /// Checks files that are read again for each connection to another machine.
    ///
    /// - Throws: `StartError`, which names the setting of the file at fault.
    static func check(_ files: TLSFiles) throws(StartError) { _ = try context(.client, files) }

    private static func context(_ side: TLSContext.Side, _ files: TLSFiles) throws(StartError) -> TLSContext {
        do throws(TLSError) { return try TLSContext(side, files) } catch {
            throw StartError(message: told(error), exitCode: 2)
        }
    }

    /// Returns the version of the files: their numbers, sizes and times.
    private static func version(of files: TLSFiles) -> [Int] {
        [files.certificate, files.key, files.authority].flatMap { path -> [Int] in
            var status = stat()
            guard let path, stat(path, &status) == 0 else { return [0] }
            return [
                Int(truncatingIfNeeded: status.st_ino), Int(status.st_size), status.st_mtim.tv_sec,
                status.st_mtim.tv_nsec,
            ]
        }
    }

    /// Reads the files again if they have changed, and have not since the last call; called once a second.
    ///
    /// Certificate and key are two files: while only one of them is new, the old pair is used.
    func secondPassed(_ reactor: Reactor) {
        let now = CertificateFiles.version(of: files)
        defer { seen = now }
        guard now != read, now == seen else { return }
        read = now
        do throws(TLSError) {
            let context = try TLSContext(.server, files)
            reactor.certificatesChanged(to: context)
            trace.say("certificate-read", ["certificate": context.shownName, "days": context.daysLeft])
        } catch {
            trace.say(
                "certificate-not-read", ["error": CertificateFiles.told(error), "then": "the one before is used"])
        }
    }

    private static func told(_ error: TLSError) -> String {
        (error.part.map { $0.rawValue + ": " } ?? "") + "\(error)"
    }
}

extension TLSContext {
    /// The common name of the own certificate, for the trace.
    var shownName: String { shown?.name ?? "" }
    /// The days until the own certificate expires, for the trace.
    var daysLeft: String { "\((shown?.secondsLeft ?? 0) / 86_400)" }
}
