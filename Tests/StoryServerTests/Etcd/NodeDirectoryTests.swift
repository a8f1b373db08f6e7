import StoryCluster
import StoryCore
import StoryLog
import StoryServer
import StoryStorage
import TestSupport
import Testing

/// The directory of a node, and the way that it becomes one.
@Suite struct NodeDirectoryTests {
    private let folder = TemporaryFolder()

    private func open(_ name: String, as role: OpenStore.Role) throws(StorageError) -> OpenStore {
        try OpenStore(
            folder.path + "/" + name, journal: 1 << 16, clock: .system, trace: Trace(now: Clock.system.now) { _ in },
            as: role)
    }

    private func node(_ node: String, of log: String = "main", history: StoredIdentity?) -> OpenStore.Role {
        .node(log: log, node: node) { (_) throws(StorageError) in
            guard let history else { throw .failed("the history is not asked for") }
            return history
        }
    }

    private var replica: OpenStore.Role { .replica { [history] () throws(StorageError) in history } }

    private func mark(_ name: String) -> String {
        String(Files.text(folder.path + "/\(name)/FORMAT").prefix { $0 != "\n" })
    }

    private func fault(_ name: String, as role: OpenStore.Role) -> String {
        do throws(StorageError) {
            try open(name, as: role).close()
            return "none"
        } catch {
            return "\(error)"
        }
    }

    private let history = StoredIdentity(
        id: [UInt8](repeating: 7, count: 16),
        ancestors: [.init(id: [UInt8](repeating: 9, count: 16), position: Position(3))])

    @Test func `an empty directory takes the history of the log, and is that node's from then on`() throws {
        let store = try open("a", as: node("n1", history: history))
        expect(store.log.storedIdentity == history && store.log.head == .zero)
        store.close()
        expect(mark("a") == "storykeep 4 node main n1")
        // Etcd is not needed any more: a node serves what it has.
        try open("a", as: node("n1", history: nil)).close()
        expect(fault("a", as: .store).contains("is the node n1 of the log main: alone or as another one it would"))
        expect(fault("a", as: node("n2", history: history)).contains("is the node n1 of the log main"))
        expect(fault("a", as: node("n1", of: "other", history: history)).contains("is the node n1"))
        expect(fault("a", as: replica).contains("is the node n1 of the log main"))
        let reading = try DataDirectory(folder.path + "/a", for: .reading)
        reading.close()
    }

    @Test func `a start without etcd makes no directory`() throws {
        expect(fault("a", as: node("n1", history: nil)) == "the history is not asked for")
        expect(!Files.exists(folder.path + "/a"))
    }

    @Test func `a store with the history of the log becomes the node, and one with another does not`() throws {
        let own = try open("a", as: .store)
        let identity = own.log.storedIdentity
        own.close()
        expect(mark("a") == "storykeep 4")
        let refused = fault("a", as: node("n1", history: history))
        expect(refused.contains("has the history \(identity.named.id), and the log in etcd has \(history.named.id)"))
        expect(mark("a") == "storykeep 4")
        try open("a", as: .store).close()
        try open("a", as: node("n1", history: identity)).close()
        expect(mark("a") == "storykeep 4 node main n1")
        expect(fault("a", as: .store).contains("is the node n1 of the log main"))
    }

    @Test func `a replica's directory is no node's`() throws {
        try open("a", as: replica).close()
        expect(fault("a", as: node("n1", history: history)).contains("is a replica: alone it would diverge"))
        expect(mark("a") == "storykeep 4 replica")
    }

    @Test(arguments: ["node main", "node main n/1", "node main n1 n2", "replica x", "moon", ""])
    func `a mark that is not known is refused`(mark: String) throws {
        try open("a", as: .store).close()
        try Files.write("storykeep 4 \(mark)\n", to: folder.path + "/a/FORMAT")
        expect(fault("a", as: .store).contains("which this program does not know: start a newer version"))
    }
}
