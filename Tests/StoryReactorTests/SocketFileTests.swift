import Foundation
import Glibc
import TestSupport
import Testing

@testable import StoryReactor

@Suite struct SocketFileTests {
    @Test func `the file and the directory made for it are for the owner alone`() throws {
        let directory = try makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let reactor = try RunningReactor(at: directory + "/new/s")
        expect(permissions(directory + "/new") == 0o700)
        expect(permissions(directory + "/new/s") == 0o600)
        try reactor.stop()
        expect(!FileManager.default.fileExists(atPath: directory + "/new/s"))
    }

    @Test func `the file admits the users and groups that may connect, and nobody else, whatever the umask`() throws {
        let directory = try makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        func mode(_ access: SocketAccess, _ name: String) throws -> UInt32 {
            let reactor = try Reactor()
            expect(try reactor.listen(at: directory + name, for: access) == nil)
            return permissions(directory + name)
        }
        expect(try mode(SocketAccess(groups: [getgid()]), "/group") == 0o660)
        // The bits of the group are those of the mask.
        expect(try mode(SocketAccess(users: [61_001]), "/user") == 0o660)
        expect(try mode(SocketAccess(groups: [61_001, 61_002]), "/groups") == 0o660)
    }

    @Test func `the list has its entries in the order that the kernel wants, each once`() {
        let list = SocketAccess(users: [300, 7, 7], groups: [2]).list
        let entries = stride(from: 4, to: list.count, by: 8).map { start in
            list[start..<start + 8].map { "\($0)" }.joined(separator: " ")
        }
        let nobody = "255 255 255 255"
        expect(list.prefix(4) == [2, 0, 0, 0])
        expect(
            entries == [
                "1 0 6 0 " + nobody, "2 0 6 0 7 0 0 0", "2 0 6 0 44 1 0 0", "4 0 0 0 " + nobody, "8 0 6 0 2 0 0 0",
                "16 0 6 0 " + nobody, "32 0 0 0 " + nobody,
            ])
    }

    @Test func `where the system takes no list, the file admits every user, and the reason is told`() throws {
        let directory = try makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let reactor = try Reactor()
        // No user has this number, so the kernel refuses the list.
        let reason = try reactor.listen(at: directory + "/s", for: SocketAccess(users: [.max]))
        expect(reason == "Invalid argument")
        expect(permissions(directory + "/s") == 0o666)
    }

    @Test func `a path over 107 bytes is refused with its length`() throws {
        let directory = try makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let longest = directory + "/" + String(repeating: "x", count: 107 - directory.utf8.count - 1)
        try RunningReactor(at: longest).stop()
        #expect(throws: ReactorError.pathTooLong(longest + "x", bytes: 108)) { try Reactor().listen(at: longest + "x") }
        #expect(throws: ReactorError.pathMalformed) { try Reactor().listen(at: "") }
    }

    @Test func `a regular file is refused and stays as it is`() throws {
        let directory = try makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try "precious".write(toFile: directory + "/s", atomically: false, encoding: .utf8)
        #expect(throws: ReactorError.notASocket(directory + "/s")) { try Reactor().listen(at: directory + "/s") }
        expect(try String(contentsOfFile: directory + "/s", encoding: .utf8) == "precious")
    }

    @Test func `a server that answers keeps its socket`() throws {
        let first = try RunningReactor()
        #expect(throws: ReactorError.anotherServerAnswers(first.path)) { try Reactor().listen(at: first.path) }
        let peer = try Peer(first.path)
        peer.send("still here".utf8)
        expect(try peer.receive(10) == Array("still here".utf8))
        try first.stop()
    }

    @Test func `a socket that nobody listens to is replaced`() throws {
        let directory = try makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        leaveStaleSocket(directory + "/s")
        let reactor = try RunningReactor(at: directory + "/s")
        let peer = try Peer(reactor.path)
        peer.send("!".utf8)
        expect(try peer.receive(1) == [0x21])
        try reactor.stop()
    }

    @Test func `a socket that was put in our place is not removed`() throws {
        let reactor = try RunningReactor()
        reactor.perform { reactor in reactor.requestTurn() }
        // Renamed, so that the new file cannot be given the old one's inode.
        rename(reactor.path, reactor.path + "-old")
        leaveStaleSocket(reactor.path)
        reactor.perform { $0.stopListening() }
        try until("it no longer listens") { (try? Peer(reactor.path + "-old")) == nil }
        expect(FileManager.default.fileExists(atPath: reactor.path))
        try reactor.stop()
    }

    @Test func `a directory that others may write to is refused`() throws {
        let directory = try makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        chmod(directory, 0o777)
        #expect(throws: ReactorError.directoryNotSafe(directory)) { try Reactor().listen(at: directory + "/s") }
    }

    @Test func `every refusal says what to do`() {
        for error in [
            ReactorError.pathTooLong("/p", bytes: 108), .pathMalformed, .notASocket("/p"), .anotherServerAnswers("/p"),
            .directoryNotSafe("/p"), .refused(call: "bind", path: "/p", code: EACCES), .loop(code: -EMFILE),
        ] {
            expect(error.description.contains("; "), "\(error)")
            expect(!error.description.contains("\n"))
        }
    }

    private func permissions(_ path: String) -> UInt32 {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    private func leaveStaleSocket(_ path: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(descriptor)
    }
}
