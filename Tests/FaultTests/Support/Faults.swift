import Glibc
import TestSupport

/// What calls do that can be made to fail: `faults/include/faults.h`.
struct CallKinds: OptionSet, Hashable {
    let rawValue: UInt64

    static let write = CallKinds(rawValue: 1)
    static let sync = CallKinds(rawValue: 2)
    static let open = CallKinds(rawValue: 4)
    static let create = CallKinds(rawValue: 8)
    static let rename = CallKinds(rawValue: 16)
    static let remove = CallKinds(rawValue: 32)
    static let truncate = CallKinds(rawValue: 64)
    static let read = CallKinds(rawValue: 128)
    static let send = CallKinds(rawValue: 256)
    static let accept = CallKinds(rawValue: 512)
    static let lock = CallKinds(rawValue: 1_024)

    /// All that change the disk.
    static let changes: CallKinds = [.write, .sync, .create, .rename, .remove, .truncate]
    /// Those that want room.
    static let growth: CallKinds = [.write, .create, .rename, .truncate]
    /// Each kind and its name.
    static let names: [(CallKinds, String)] = [
        (.write, "write"), (.sync, "sync"), (.open, "open"), (.create, "create"), (.rename, "rename"),
        (.remove, "remove"), (.truncate, "truncate"), (.read, "read"), (.send, "send"), (.accept, "accept"),
        (.lock, "lock"),
    ]
}

/// Which calls fail, and how.
struct FaultRule {
    /// What becomes of a call.
    enum Action: UInt64 {
        case fail = 1
        /// It is done, and told as failed.
        case failAfter
        case shorten
        /// It is not done, and told as done.
        case pretend
        case killBefore
        case killAfter
        case killWithin
        case delay
    }

    var kinds: CallKinds
    /// The first one that it strikes, from 1.
    var number: UInt64 = 1
    /// How many it strikes.
    var count: UInt64 = 1
    var action: Action
    /// An errno, or microseconds.
    var value: UInt64 = 0
    /// It begins to count when this rule has struck, from 1; 0: at once.
    var after: UInt64 = 0
    /// Only files whose path has this in it.
    var path = ""
}

/// The library that makes a daemon's calls fail, as the daemon's tests tell it.
final class Faults {
    /// Where the library was built; nil where it was not.
    static let library = try? Program.path("libfaults.so")

    private static let rules = 6
    private static let kinds = 10
    private static let head = 16 * 8
    private static let rule = 256
    private static let size = head + rules * rule

    private let path: String
    private let file: UnsafeMutableRawPointer

    /// Makes the file that a daemon is told of; nothing fails yet.
    init(_ path: String) throws {
        self.path = path
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemRefused(call: "open of \(path)", code: errno) }
        defer { close(descriptor) }
        guard ftruncate(descriptor, off_t(Faults.size)) == 0,
            let map = mmap(nil, Faults.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), map != MAP_FAILED
        else { throw SystemRefused(call: "mmap of \(path)", code: errno) }
        file = map
    }

    deinit { munmap(file, Faults.size) }

    /// What a daemon finds in its environment, whose files lie below a folder.
    ///
    /// - Parameter tick: how many milliseconds its ticks are apart.
    func environment(root: String, tick: Int) -> [String] {
        ["LD_PRELOAD=\(Faults.library ?? "")", "FAULTS_FILE=\(path)", "FAULTS_ROOT=\(root)", "FAULTS_TICK=\(tick)"]
    }

    /// Puts these rules in the place of those that were there and begins to count.
    func arm(_ rules: [FaultRule] = []) {
        precondition(rules.count <= Faults.rules)
        isArmed = false
        memset(file + Faults.head, 0, Faults.rules * Faults.rule)
        for (index, rule) in rules.enumerated() {
            let place = file + Faults.head + index * Faults.rule
            let words = [
                rule.kinds.rawValue, rule.number, rule.count, rule.action.rawValue, rule.value, rule.after,
            ]
            for (word, value) in words.enumerated() {
                place.storeBytes(of: value, toByteOffset: word * 8, as: UInt64.self)
            }
            for (byte, value) in rule.path.utf8.prefix(63).enumerated() {
                place.storeBytes(of: value, toByteOffset: 64 + byte, as: UInt8.self)
            }
        }
        isArmed = true
    }

    /// From now on nothing fails.
    func disarm() { isArmed = false }

    private var isArmed: Bool {
        get { file.load(as: UInt64.self) != 0 }
        set { file.storeBytes(of: newValue ? 1 : 0, as: UInt64.self) }
    }

    /// How many calls of a kind there were.
    func calls(_ kind: CallKinds) -> Int {
        Int(file.load(fromByteOffset: 8 + kind.rawValue.trailingZeroBitCount * 8, as: UInt64.self))
    }

    /// How many calls a rule struck.
    func struck(_ rule: Int) -> Int {
        Int(file.load(fromByteOffset: Faults.head + rule * Faults.rule + 56, as: UInt64.self))
    }

    /// The first call that a rule struck, as `name path`; empty where it struck none.
    func hit(_ rule: Int) -> String {
        String(cString: (file + Faults.head + rule * Faults.rule + 128).assumingMemoryBound(to: CChar.self))
    }
}
