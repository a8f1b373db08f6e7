import StoryCore
import StoryReactor
@testable import StoryServer
import TestSupport
import Testing

/// Users whom the kernel cannot tell apart, as those outside of a container.
@Suite struct UserNamespaceTests {
    private let access = Access(
        rules: [.init(.user(65_534), .write), .init(.group(65_533), .admin), .init(.group(50), .read)],
        namespace: UserNamespace(unknownUser: 65_534, unknownGroup: 65_533))

    private func role(_ uid: UInt32, _ gid: UInt32 = 100, _ groups: [UInt32] = [], owner: UInt32 = 7) -> Role? {
        access.role(of: PeerCredentials(uid: uid, gid: gid, pid: 1, groups: groups), owner: owner)
    }

    @Test(arguments: [
        ("         0          0 4294967295\n", true), ("0 1000 1\n", false), ("0 100000 65536\n", false), ("", false),
        ("0 0 1000\n1000 1000 4294966295\n", true), ("nothing of the kind\n", false),
    ])
    func `a map gives a number to everybody or not`(map: String, isWhole: Bool) {
        expect(UserNamespace.isWhole(map) == isWhole)
    }

    @Test func `the number of those without one has no role, whatever the rules say`() {
        expect(role(65_534) == nil)
        expect(role(65_534, 50) == nil)
        expect(role(65_534, owner: 65_534) == nil, "anybody could pass for the owner")
        expect(role(1, 65_533) == nil && role(1, 100, [65_533]) == nil)
        expect(role(1, 100, [65_533, 50]) == .read && role(7) == .admin && role(0) == .admin)
    }

    @Test func `the refusal says why`() {
        let unknown = access.refusal(of: PeerCredentials(uid: 65_534, gid: 1, pid: 1))
        expect(unknown.contains("without a number in the user namespace"))
        expect(access.refusal(of: PeerCredentials(uid: 8, gid: 1, pid: 1)).contains("uid 8 may not connect here"))
    }
}
