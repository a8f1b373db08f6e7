import Glibc
package import StoryCore
package import StoryNetwork
import StoryReactor

/// The state of the daemon's own certificate.
package struct CertificateState {
    /// The seconds until it expires, negative once it has; nil where there is none.
    package var secondsLeft: Int?
    /// Its conditions.
    package var conditions: Set<StoreCondition> = []

    /// The state where there is none.
    package init() {}
}

/// The daemon's files of certificates, which are read again when they change.
package final class CertificateFiles {
    /// The days before the end of the own certificate from which on the trace tells it.
    private static let daysTold = 14

    private var files: FileChange
    private let trace: Trace
    /// The certificates that are shown and accepted now.
    private(set) var present: TLSContext
    /// The number of days in the last line of the trace; nil before the first time.
    private var toldDays: Int?
    /// True while the changed files cannot be used.
    private var isNotRead = false

    /// Reads the files.
    ///
    /// - Parameter side: `.server` where other machines may connect.
    /// - Throws: `StartError`, which names the setting of the file at fault.
    package init(_ side: TLSContext.Side, _ files: TLSFiles, _ trace: Trace) throws(StartError) {
        self.trace = trace
        // Looked at before they are read, so that a change meanwhile is noticed.
        self.files = FileChange(of: files)
        present = try CertificateFiles.context(side, files)
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

    /// Reads the files again if they have changed, and tells once a day that the own certificate is about to end; called
    /// once a second.
    ///
    /// - Returns: the state of the own certificate.
    func secondPassed(_ reactor: Reactor) -> CertificateState {
        if files.isNew() { readAgain(reactor) }
        var state = CertificateState()
        if isNotRead { state.conditions = [.certificateNotRead] }
        guard let seconds = present.secondsLeft else { return state }
        state.secondsLeft = seconds
        let days = TLSContext.days(seconds)
        guard days < CertificateFiles.daysTold else {
            toldDays = nil
            return state
        }
        state.conditions.insert(.certificateEnds)
        if toldDays != days {
            toldDays = days
            trace.say("certificate-ends", ["certificate": present.shownName, "days": "\(days)"])
        }
        return state
    }

    private func readAgain(_ reactor: Reactor) {
        isNotRead = false
        do throws(TLSError) {
            present = try TLSContext(present.side, files.files)
            if present.side == .server { reactor.certificatesChanged(to: present) }
            trace.say("certificate-read", ["certificate": present.shownName, "days": present.daysLeft])
        } catch {
            isNotRead = true
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
    /// The seconds until the own certificate expires, fewer than 0 once it has; nil where none is shown.
    var secondsLeft: Int? { shown.map { $0.expiry - WallClock.seconds } }
    /// The whole days until the own certificate expires, fewer than 0 once it has, for the trace.
    var daysLeft: String { "\(TLSContext.days(secondsLeft ?? 0))" }

    fileprivate static func days(_ seconds: Int) -> Int { Int((Double(seconds) / 86_400).rounded(.down)) }
}

/// A look at the files of certificates, which notices that they have changed.
struct FileChange {
    let files: TLSFiles
    /// The version that was read last, and the one at the last look.
    private var (read, seen): ([Int], [Int])

    /// Begins with the present version.
    init(of files: TLSFiles) {
        self.files = files
        read = FileChange.version(of: files)
        seen = read
    }

    /// Returns true where the files have changed, and have not since the last call; called once a second.
    ///
    /// Certificate and key are two files: while only one of them is new, the old pair is used.
    mutating func isNew() -> Bool {
        let now = FileChange.version(of: files)
        defer { seen = now }
        guard now != read, now == seen else { return false }
        read = now
        return true
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
}
