import Foundation
import Glibc
import TestSupport
import Testing

@testable import StoryClient

extension StoreAddress {
    /// Who must run the store at a Unix socket, unless root does; nil: anybody.
    fileprivate var owner: UInt32? {
        for case .socket(_, let owner) in endpoints { return owner }
        return nil
    }
}

/// A place that nobody named may have been taken by somebody else, who is not talked to.
struct ServerOwnerTests {
    @Test func `only a place that nobody named has to be one's own`() {
        let named = StoreAddress.resolved("/tmp/x", environment: [:])
        let variable = StoreAddress.resolved(environment: ["STORED_SOCKET": "/tmp/y"])
        expect(named.owner == nil && variable.owner == nil)
        expect(StoreAddress.resolved(environment: [:]).owner == getuid())
        expect(StoreAddress.resolved(environment: ["XDG_RUNTIME_DIR": "/x"]).owner == getuid())
        let environment = ProcessInfo.processInfo.environment
        expect(StoreAddress.resolved() == StoreAddress.resolved(environment: environment))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can listen as somebody else"))
    func `a server of another user is not talked to`() async throws {
        let server = try StrangersServer(user: 61_001)
        defer { server.end() }
        let address = StoreAddress(path: server.path, owner: 61_002)
        do throws(ClientError) {
            _ = try StoreConnection(to: address)
            Issue.record("it connected")
        } catch {
            expect(error.description.contains("user 61001 runs what answers there"))
        }
        let policy = RetryPolicy(limit: .zero)
        do {
            _ = try await StoreClient(address, configuration: StoreClient.Configuration(retry: policy)).ping()
            Issue.record("it connected")
        } catch {
            expect("\(error)".contains("user 61001 runs what answers there"))
        }
        _ = try StoreConnection(to: StoreAddress(path: server.path, owner: 61_001))
    }

    @Test func `a server of one's own is talked to`() throws {
        let server = try ScriptedServer { $0.write(ScriptedServer.greeting) }
        _ = try StoreConnection(to: StoreAddress(path: server.address.path, owner: getuid()))
    }
}

/// A process of another user that greets whoever connects.
private struct StrangersServer {
    let path: String
    private let process = Process()

    init(user: Int) throws {
        let folder = NSTemporaryDirectory() + "stranger-\(UUID().uuidString.prefix(8))"
        mkdir(folder, 0o777)
        chmod(folder, 0o777)
        path = folder + "/s"
        let script = #"""
            use IO::Socket::UNIX;
            $SIG{PIPE} = "IGNORE";
            my $path = shift;
            my $s = IO::Socket::UNIX->new(Local => "$path.new", Listen => 8) or die;
            rename "$path.new", $path;
            while (my $c = $s->accept) { print $c "* {\"protocol\":1,\"position\":0}\n"; push @kept, $c; }
            """#
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "perl", "-e", script, path,
        ]
        try process.run()
        try until("the stranger listens") { access(path, F_OK) == 0 }
    }

    func end() {
        // A process that a thread of the tests starts has that thread's blocked signals.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
    }
}
