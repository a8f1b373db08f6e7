import Foundation
import Glibc
import StoryCluster
import StoryEtcd

/// A member of etcd as a process of its own, on loopback.
package final class RunningEtcd {
    private let folder: Scratch
    private let command: [String]
    private var program: Program
    /// The port of its clients.
    package let port: UInt16
    /// Its process.
    package var pid: Int32 { program.pid }
    /// The port of its clients with TLS; 0 without an authority.
    package let securePort: UInt16

    /// Starts a cluster of one member, and waits until it serves.
    ///
    /// - Parameters:
    ///   - arguments: more arguments of the program.
    ///   - authority: the signer of its certificate and of its clients'; nil: it has no port with TLS.
    package convenience init(_ arguments: [String] = [], secureBy authority: TestAuthority? = nil) throws {
        self.init(try RunningEtcd.start(1, arguments, secureBy: authority)[0])
    }

    private init(_ started: Started) {
        (folder, command, program) = (started.folder, started.command, started.program)
        (port, securePort) = (started.port, started.securePort)
    }

    /// Starts a cluster of some members, and waits until it serves.
    ///
    /// - Parameters:
    ///   - count: the number of members.
    ///   - arguments: more arguments of each program.
    package static func cluster(of count: Int, _ arguments: [String] = []) throws -> [RunningEtcd] {
        try start(count, arguments).map { RunningEtcd($0) }
    }

    /// Starts an etcd whose user `node` with the password `secret` may do everything below `/storykeep/`.
    package static func guarded() throws -> RunningEtcd {
        let etcd = try RunningEtcd()
        for command in [
            ["user", "add", "root:root"], ["user", "grant-role", "root", "root"], ["role", "add", "storykeep"],
            ["role", "grant-permission", "storykeep", "--prefix=true", "readwrite", "/storykeep/"],
            ["user", "add", "node:secret"], ["user", "grant-role", "node", "storykeep"], ["auth", "enable"],
        ] {
            _ = try etcd.control(command)
        }
        return etcd
    }

    private struct Started {
        let folder: Scratch
        let command: [String]
        let program: Program
        let port: UInt16
        let securePort: UInt16
    }

    private static func start(
        _ count: Int, _ arguments: [String], secureBy authority: TestAuthority? = nil
    ) throws -> [Started] {
        var log = ""
        for _ in 0..<10 {
            let ports = try (0..<3 * count).map { _ in try LoopbackPort.free() }
            let peers = (0..<count).map { "http://127.0.0.1:\(ports[count + $0])" }
            let cluster = peers.enumerated().map { "member\($0.offset)=\($0.element)" }.joined(separator: ",")
            let members = try (0..<count).map { index in
                let folder = try Scratch(in: Scratch.memory)
                let securePort = authority == nil ? 0 : ports[2 * count + index]
                let (secure, files) = try security(authority, at: securePort)
                let clients = "http://127.0.0.1:\(ports[index])" + secure
                let command =
                    [
                        "etcd", "--name", "member\(index)", "--data-dir", folder.place("data"), "--listen-client-urls",
                        clients, "--advertise-client-urls", clients, "--listen-peer-urls", peers[index],
                        "--initial-advertise-peer-urls", peers[index], "--initial-cluster", cluster,
                        "--heartbeat-interval", "100", "--election-timeout", "1000",
                    ] + files + arguments
                let log = folder.place("log")
                return Started(
                    folder: folder, command: command, program: try Program(command, output: log, errors: log),
                    port: ports[index], securePort: securePort)
            }
            try until("the members of etcd serve, or one ends") {
                try members.contains { $0.program.poll() != nil } || members.allSatisfy { try isServing($0.port) }
            }
            // Another process may have taken a port between its choice and its use; then a member ended at once.
            if members.allSatisfy({ $0.program.poll() == nil }) { return members }
            log = members.map { Files.text($0.folder.place("log")) }.joined()
        }
        throw TookTooLong(what: "etcd starts: \(log)")
    }

    /// Returns the URL of a port with TLS, behind a comma, and the arguments for its certificates.
    private static func security(_ authority: TestAuthority?, at port: UInt16) throws -> (String, [String]) {
        guard let authority else { return ("", []) }
        let signed = try authority.sign("etcd")
        let files = [
            "--cert-file", signed.certificate, "--key-file", signed.key, "--client-cert-auth", "--trusted-ca-file",
            authority.file,
        ]
        return (",https://127.0.0.1:\(port)", files)
    }

    /// Returns true where a member answers: its port is open before that.
    private static func isServing(_ port: UInt16) throws -> Bool {
        guard let link = try? EtcdLink(port) else { return false }
        let id = link.makeID()
        link.session.call(id, .range(OrderingRange(from: "/")))
        for _ in 0..<100 {
            link.step(milliseconds: 10)
            if link.hasAnswer(id) { return try link.answer(to: id) != .unknown }
        }
        return false
    }

    /// Ends it at once, and returns when it is gone.
    package func kill() throws { try program.kill() }

    /// Stops it, and returns once each of its threads has stopped.
    package func pause() throws { try program.pause() }

    /// Lets it go on, and returns once none of its threads is stopped.
    package func resume() throws { try program.resume() }

    /// Starts it again with the data that it has, where it does not run, without waiting for anything.
    package func launch() throws {
        let log = folder.place("log")
        if program.poll() != nil { program = try Program(command, output: log, errors: log) }
    }

    /// Starts it again with the data that it has, and waits until it serves.
    package func restart() throws {
        let log = folder.place("log")
        try until("the member of etcd serves again: \(Files.text(log).suffix(500))") {
            // Something else may have the port for a moment.
            try launch()
            return try RunningEtcd.isServing(port)
        }
    }

    /// Ends it (SIGTERM), and keeps its data beside them, before it is started again.
    package func keepState() throws {
        program.send(SIGTERM)
        _ = try program.wait()
        try FileManager.default.copyItem(atPath: folder.place("data"), toPath: folder.place("kept"))
        try restart()
    }

    /// Kills it, and starts it with the data that were kept; with none where none were.
    package func setBack() throws {
        try kill()
        try FileManager.default.removeItem(atPath: folder.place("data"))
        if Files.exists(folder.place("kept")) {
            try FileManager.default.moveItem(atPath: folder.place("kept"), toPath: folder.place("data"))
        }
        try restart()
    }

    /// Sends it a signal.
    package func send(_ signal: Int32) { program.send(signal) }

    /// Runs etcdctl against it, and returns what it printed.
    ///
    /// - Parameters:
    ///   - arguments: its arguments but the address.
    ///   - input: a line that it reads.
    package func control(_ arguments: [String], input: String = "") throws -> String {
        let (output, errors, inputs) = (folder.place("out"), folder.place("errors"), folder.place("in"))
        for file in [output, errors] { unlink(file) }
        try Files.write(input + "\n", to: inputs)
        let command = ["etcdctl", "--endpoints", "http://127.0.0.1:\(port)"] + arguments
        let tool = try Program(command, environment: ["ETCDCTL_API=3"], input: inputs, output: output, errors: errors)
        guard try tool.wait() == .code(0) else {
            throw TookTooLong(what: "\(command) failed: \(Files.text(output))\(Files.text(errors))")
        }
        return Files.text(output)
    }
}

/// Ports of TCP on 127.0.0.1.
package enum LoopbackPort {
    /// Returns a port that nobody listened on a moment ago.
    package static func free() throws -> UInt16 {
        let descriptor = try makeSocket()
        defer { close(descriptor) }
        var address = self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard result else { throw SystemRefused(call: "bind", code: errno) }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Returns a socket that is connected to a port.
    static func connect(_ port: UInt16) throws -> Int32 {
        let descriptor = try makeSocket()
        let result = withUnsafePointer(to: address(port)) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 {
            let code = errno
            close(descriptor)
            throw SystemRefused(call: "connect", code: code)
        }
        return descriptor
    }

    private static func makeSocket() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemRefused(call: "socket", code: errno) }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
