import Foundation
import Glibc
import TestSupport
import Testing

/// Clients that mean no good, and what else happens to a daemon that it did not ask for: one after the other, each with
/// the machine's processors. `make hostile` is the long form.
@Suite(.serialized) enum HostileTests {
    static let scale = Scale("HOSTILE")

    /// The number of files and sockets that a daemon has open. The pipe of the thread for commits is none: a lone client
    /// has it from the first slow sync on, for ever.
    static func descriptors(of daemon: RunningDaemon) throws -> Int {
        let folder = "/proc/\(daemon.pid)/fd"
        return try Files.names(in: folder).count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            return target.map { !$0.hasPrefix("pipe:") } ?? false
        }
    }
}

extension Canary {
    /// Ends it and says what it measured; where the loop worked for long before an answer, that is an issue.
    ///
    /// What is promised is a 99th percentile of 5 ms and never 50 ms, on a machine that does nothing else. Where the
    /// canary's thread waits for a processor after its answer, the loop works on, so that the limits are far above that.
    func end(_ what: String) throws {
        try until("the canary is served") { served > 20 }
        let waits = try stop()
        print("hostile: \(what): canary \(waits)")
        expect(waits.percentile(0.99) < .milliseconds(250), "\(what): \(waits)")
        expect(waits.greatest < .seconds(1), "\(what): \(waits)")
    }
}

/// So many connections that were greeted.
func crowd(_ count: Int, of daemon: RunningDaemon) throws -> [LineSocket] {
    try allowFiles(count + 200)
    return try (0..<count).map { _ in try daemon.client() }
}

/// Lets this process have so many files open.
func allowFiles(_ count: Int) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur < rlim_t(count) else { return }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur >= rlim_t(count) else {
        throw SystemRefused(call: "setrlimit", code: errno)
    }
}
