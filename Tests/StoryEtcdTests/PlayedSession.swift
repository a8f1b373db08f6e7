import StoryCluster
import StoryEtcd
import TestSupport

/// A session whose server is played by a test.
final class PlayedSession {
    let session: EtcdSession
    private(set) var output: [UInt8] = []

    /// Creates a session that has sent its preface and got the server's settings.
    ///
    /// - Parameter readUser: returns the user with the present password; nil: the user has one for good.
    init(user: EtcdUser? = nil, readUser: (() -> EtcdUser?)? = nil) {
        session = EtcdSession(EtcdPeer(authority: "etcd:2379", user: user), user: readUser)
        output = session.takeOutput()
        receive(ServerFrames.settings)
    }

    /// Makes calls, which have the numbers 1, 2 … and the streams 1, 3 ….
    convenience init(_ calls: [OrderingCall], user: EtcdUser? = nil, readUser: (() -> EtcdUser?)? = nil) {
        self.init(user: user, readUser: readUser)
        for (number, call) in calls.enumerated() { session.call(CallID(UInt64(number + 1)), call) }
        send()
    }

    /// Sends what waits.
    func send() { output = session.takeOutput() }

    /// Takes bytes, and keeps those that are sent for them.
    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { session.received($0) }
        output = session.takeOutput()
    }

    /// Takes bytes, and returns the results.
    func results(of bytes: [UInt8]) -> [EtcdResult] {
        receive(bytes)
        return session.takeResults()
    }

    /// Returns true where the bytes that were sent last have a text.
    func sent(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return output.indices.contains { output[$0...].starts(with: wanted) }
    }
}
