import Glibc

/// A daemon that other machines can connect to, on a port that the system chose.
package final class RemoteDaemon {
    package let daemon: RunningDaemon
    package let authority: TestAuthority
    package let certificate: TestAuthority.Signed

    /// - Parameter trust: the rules of its setting; those of "laptop", this process's user, where none are told.
    package init(
        trust: [String] = ["laptop=\(geteuid())"], options: [String] = [], certificate: TestAuthority.Signed? = nil
    ) throws {
        authority = try TestAuthority.shared()
        self.certificate = try certificate ?? authority.sign("store")
        daemon = try RunningDaemon(
            options: [
                "--listen", "127.0.0.1:0", "--certificate", self.certificate.certificate, "--certificate-key",
                self.certificate.key, "--authority", authority.file,
            ] + trust.flatMap { ["--trust", $0] } + options)
    }

    /// The port that it listens at.
    package var port: UInt16 {
        let line = daemon.trace.split(separator: "\n").last { $0.contains(" listening address=") } ?? ""
        let digits = line.split(separator: "address=127.0.0.1:").last?.prefix(while: \.isNumber) ?? ""
        return UInt16(digits) ?? 0
    }

    package var url: String { "tls://127.0.0.1:\(port)" }

    /// The variables of a client that shows a certificate; nil: none.
    package func environment(_ signed: TestAuthority.Signed?, authority other: TestAuthority? = nil) -> [String] {
        ["STORED_AUTHORITY=\((other ?? authority).file)"]
            + (signed.map { ["STORED_CERTIFICATE=\($0.certificate)", "STORED_CERTIFICATE_KEY=\($0.key)"] } ?? [])
    }

    /// Runs `storectl` as it is on another machine.
    ///
    /// - Parameter input: what it reads on standard input.
    package func storectl(
        _ arguments: String..., as signed: TestAuthority.Signed?, authority: TestAuthority? = nil,
        at url: String? = nil,
        input: String = ""
    ) throws -> RunningDaemon.Run {
        let folder = try Scratch()
        let (given, output, errors) = (folder.place("input"), folder.place("output"), folder.place("errors"))
        try Files.write(input, to: given)
        let command = [try Program.path("storectl"), "--socket", url ?? self.url] + arguments
        let exit = try Program(
            command, environment: environment(signed, authority: authority), input: given, output: output,
            errors: errors
        ).wait()
        return RunningDaemon.Run(exit: exit, output: Files.text(output), errors: Files.text(errors))
    }
}

/// A plain connection of TCP to a port of this machine, which speaks no TLS by itself.
package final class PlainConnection {
    private let descriptor: Int32

    /// - Parameter receiveBuffer: how many bytes the kernel takes that are not read, about; nil: as many as it wants.
    package init(_ port: UInt16, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: TestTimeout.seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SystemRefused(call: "connect", code: errno) }
    }

    deinit { close(descriptor) }

    package func send(_ bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads at most so many bytes, after waiting for some; none at the end.
    package func receive(_ count: Int = 65_536) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = recv(descriptor, &bytes, count, 0)
        return Array(bytes.prefix(max(0, got)))
    }

    /// Sends no more.
    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads to the end, and drops it.
    package func awaitEnd() { while !receive().isEmpty {} }
}
