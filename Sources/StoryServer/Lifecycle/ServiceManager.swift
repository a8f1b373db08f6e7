import Glibc
package import StoryCore
import StoryStorage

/// The variables by which a service manager talks to what it starts.
package enum ServiceVariables {
    private static let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID"]

    /// Those that are set.
    ///
    /// - Throws: `NotUTF8`, which names the variable.
    package static func read() throws(NotUTF8) -> [String: String] {
        var variables: [String: String] = [:]
        for name in names { variables[name] = try ProcessInput.variable(name) }
        return variables
    }
}

/// Whoever started the daemon and wants to hear how it is, as systemd does, by datagrams (sd_notify(3)).
///
/// Without one nothing is said. What cannot be sent is lost: the daemon serves all the same.
package final class ServiceManager {
    private let descriptor: Int32
    private let address: [UInt8]
    /// How often it wants to hear that the loop turns, in nanoseconds; nil: never.
    private let watchdog: UInt64?
    private var heard: UInt64 = 0

    /// Nobody who wants to hear anything.
    package static var absent: ServiceManager { ServiceManager { _ in nil } }

    /// - Parameter environment: the value of a variable; nil where there is none.
    package init(_ environment: (String) -> String?) {
        let path = environment("NOTIFY_SOCKET") ?? ""
        // A first @ stands for the zero byte of an address without a file.
        address = path.utf8.enumerated().map { $0 == 0 && $1 == 0x40 ? 0 : $1 }
        let isUsable = (2...107).contains(address.count) && (path.hasPrefix("/") || path.hasPrefix("@"))
        descriptor = isUsable ? socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) : -1
        let isForThis = environment("WATCHDOG_PID").map { $0 == String(getpid()) } ?? true
        let microseconds = isForThis ? environment("WATCHDOG_USEC").flatMap { UInt64($0) } : nil
        // Twice as often as it has to be.
        watchdog = microseconds.flatMap { (1...3_600_000_000).contains($0) ? $0 * 500 : nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Clients are served from now on.
    func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// The daemon ends.
    func stopping() { send("STOPPING=1\nSTATUS=draining") }

    /// The loop turns.
    ///
    /// - Parameter now: nanoseconds of the steady clock.
    func turned(at now: UInt64) {
        guard let watchdog, now - heard >= watchdog else { return }
        heard = now
        send("WATCHDOG=1")
    }

    private func send(_ message: String) {
        guard descriptor >= 0 else { return }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        let bytes = Array(message.utf8)
        withUnsafePointer(to: target) { target in
            target.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), $0,
                    length)
            }
        }
    }
}
