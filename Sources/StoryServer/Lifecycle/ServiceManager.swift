import Glibc
package import StoryCore
import StoryStorage

/// The connection to the service manager that started the daemon, such as systemd: status datagrams, see sd_notify(3).
///
/// Without a service manager nothing is sent. A datagram that cannot be sent is lost, and the daemon serves all the
/// same.
package final class ServiceManager {
    private let descriptor: Int32
    private let address: [UInt8]
    /// The interval between watchdog messages, in nanoseconds; nil: none is sent.
    private let watchdog: UInt64?
    private var heard: UInt64 = 0

    /// Reads the environment variables by which a service manager configures a service, as far as they are set.
    ///
    /// - Throws: `NotUTF8`, which names the variable.
    package static func variables() throws(NotUTF8) -> [String: String] {
        var variables: [String: String] = [:]
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID"] {
            variables[name] = try ProcessInput.variable(name)
        }
        return variables
    }

    /// No service manager: nothing is sent.
    package static var absent: ServiceManager { ServiceManager { _ in nil } }

    /// Connects to the service manager that the environment names.
    ///
    /// - Parameter environment: returns the value of a variable; nil where it is not set.
    package init(_ environment: (String) -> String?) {
        let path = environment("NOTIFY_SOCKET") ?? ""
        // A leading @ is the zero byte of an abstract address, which has no file.
        address = path.utf8.enumerated().map { $0 == 0 && $1 == 0x40 ? 0 : $1 }
        let isUsable = (2...107).contains(address.count) && (path.hasPrefix("/") || path.hasPrefix("@"))
        descriptor = isUsable ? socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) : -1
        let isForThis = environment("WATCHDOG_PID").map { $0 == String(getpid()) } ?? true
        let microseconds = isForThis ? environment("WATCHDOG_USEC").flatMap { UInt64($0) } : nil
        // Half of the interval that the service manager demands.
        watchdog = microseconds.flatMap { (1...3_600_000_000).contains($0) ? $0 * 500 : nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reports that clients are served from now on.
    func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// Reports that the daemon is stopping.
    func stopping() { send("STOPPING=1\nSTATUS=draining") }

    /// Reports that the loop is alive, when a watchdog message is due.
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
