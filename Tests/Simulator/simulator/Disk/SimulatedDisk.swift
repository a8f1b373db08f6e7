import CSimulatedDisk
import Glibc
import TestSupport

/// The disk below the working directory: what of it is durable, when it fails, and when the process that uses it dies.
///
/// The files are there, and whoever reads them reads them; beside them it is kept what of that a power failure leaves.
final class SimulatedDisk {
    /// How a process ends in the middle of what it does.
    enum Death {
        /// The call is not made.
        case before
        /// It is made, and nobody waited for the disk.
        case within
        case after
    }

    private(set) var disk: Disk
    private var opened: [Int32: (node: Int, path: String)] = [:]
    /// The files that have lost their names since the process began.
    private var removed: [(node: Int, path: String, call: Int)] = []
    private(set) var calls = 0
    /// How many calls there were when the process began.
    private var began = 0
    private var dying: (call: Int, how: Death)?
    /// True once the process is dead: what it does on has no effect.
    private(set) var isDead = false
    /// Called at that moment.
    var whenDead: () -> Void = {}
    /// Called when a sync was done.
    var whenSynced: () -> Void = {}
    var faults: [Fault] = []
    /// What finds no room.
    var fullness = Fullness.none
    /// What it does wrong, where it is to be found out.
    let bug: PlantedBug?
    /// How often each errno was told since the process began; 0 is for writes that were cut short.
    private(set) var struck: [Int32: Int] = [:]
    private let story: Story
    /// The folder whose files these are.
    private let folder: String
    /// The file of a log that is the same one after a revival, as on a disk of its own; nil where it is taken for a copy.
    private let keptFile: String?

    /// Makes the disk of a store.
    ///
    /// - Parameter isNode: whether the store is a node, which a copy is not.
    init(_ story: Story, _ bug: PlantedBug?, isNode: Bool) {
        (self.story, self.bug, folder, keptFile) = (story, bug, "store", isNode ? "store/log/data.mdb" : nil)
        disk = Disk(Image(), named: ".")
    }

    /// Makes the disk of a node: a folder in which its store is.
    init(_ story: Story, _ bug: PlantedBug?, folder: String) {
        (self.story, self.bug, self.folder, keptFile) = (story, bug, folder, "\(folder)/store/log/data.mdb")
        disk = SimulatedDisk.empty(folder)
        TemporaryFolder.remove(folder)
        mkdir(folder, 0o700)
    }

    private static func empty(_ folder: String) -> Disk {
        var image = Image()
        image.addFolder(folder)
        return Disk(image, named: ".")
    }

    /// Takes part in all calls from now on; it must not go away before `end`.
    func begin() {
        simulated_disk_begin(
            Unmanaged.passUnretained(self).toOpaque(),
            { SimulatedDisk.from($0).judge($1) }, { SimulatedDisk.from($0).told($1, $2) })
    }

    func end() { simulated_disk_set(0) }

    private static func from(_ context: UnsafeMutableRawPointer?) -> SimulatedDisk {
        guard let context else { preconditionFailure("The disk is told with every call.") }
        return Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    /// The path of a file that has a text in what the cache has of it, also of one that was removed since a call; nil
    /// where none has.
    func fileWith(_ text: String, removedSince call: Int) -> String? {
        let text = Array(text.utf8)
        return disk.cached.files.first { $0.bytes.has(text) }?.path
            ?? removed.first { $0.call >= call && disk.nodes[$0.node].cache.has(text) }?.path
    }

    // MARK: Ends of processes

    /// Has the process die so many calls from now.
    func die(in count: Int, _ how: Death) { dying = (calls + count, how) }

    /// Nothing that was to happen happens any more.
    func forgive() { (dying, faults) = (nil, []) }

    /// Has it die here.
    func die() {
        guard !isDead else { return }
        isDead = true
        whenDead()
    }

    /// The process is gone, and its files are as they were when it died; what the cache has is still there.
    func reviveAfterKill() { revive(disk.cached) }

    /// The power is back: of what was not durable some is there.
    func reviveAfterPowerFailure(_ random: inout SplitMix64) {
        let image = ImageSpace(disk).image(Choices(disk).one(&random))
        disk = Disk(image, named: ".")
        revive(image)
    }

    /// The process is gone, and so is all that it has written.
    func reviveEmpty() {
        disk = SimulatedDisk.empty(folder)
        revive(disk.cached)
    }

    private func revive(_ image: Image) {
        simulated_disk_set(0)
        defer { simulated_disk_set(1) }
        makeFiles(image)
        (isDead, dying, opened, struck, began, removed) = (false, nil, [:], [:], calls, [])
    }

    private func makeFiles(_ image: Image) {
        let kept = "\(folder).kept"
        let path = keptFile.flatMap { rename($0, kept) == 0 ? $0 : nil }
        TemporaryFolder.remove(folder)
        do { try image.write(to: ".") } catch { preconditionFailure("the image cannot be written: \(error)") }
        guard let path else { return }
        guard let bytes = image.file(path) else { return TemporaryFolder.remove(kept) }
        RawFile.write(bytes, kept)
        _ = rename(kept, path)
    }

    /// A new process begins after one that ended by itself.
    func beginProcess() { (dying, struck, began) = (nil, [:], calls) }

    /// Gives a file another name, as somebody beside the process does, and syncs the folder; nothing where it is not there.
    func move(_ path: String, to place: String) throws {
        simulated_disk_set(0)
        defer { simulated_disk_set(1) }
        guard rename(path, place) == 0 else { return }
        let (folder, _) = try disk.place("./" + path)
        try disk.move("./" + path, to: "./" + place, calls, UInt64(calls))
        disk.makeDurable { if case .name = $0.change { $0.node == folder } else { false } }
    }

    // MARK: Before a call

    func judge(_ pointer: UnsafePointer<disk_call>?) -> disk_verdict {
        guard let call = pointer?.pointee, !isDead else { return .goesOn }
        guard Int(call.kind) != Int(disk_open.rawValue) || call.flags & O_CREAT != 0 else { return .goesOn }
        let path = path(of: call)
        if call.kind == disk_lock.number {
            let isMade = bug != .locksAreNotTaken || path.hasSuffix("/lock")
            return isMade ? .goesOn : disk_verdict(action: disk_is_skipped.action, error: 0, size: 0)
        }
        if call.kind == disk_read.number { return fault(of: call, path) ?? .goesOn }
        calls += 1
        if let dying, calls == dying.call, dying.how == .before { die() }
        guard !isDead else { return .goesOn }
        if isSwallowed(call, path) { return disk_verdict(action: disk_is_skipped.action, error: 0, size: 0) }
        if let verdict = fault(of: call, path) { return verdict }
        if findsNoRoom(call, path) { return noted(disk_verdict(action: disk_fails.action, error: ENOSPC, size: 0)) }
        return .goesOn
    }

    /// True for a write that a planted bug does not make.
    private func isSwallowed(_ call: disk_call, _ path: String) -> Bool {
        guard let bug, call.kind == disk_write.number, let node = opened[call.fd]?.node else { return false }
        let bytes = UnsafeRawBufferPointer(start: call.bytes, count: Int(call.size))
        return bug.swallows(bytes, at: Int(call.at), path, size: disk.nodes[node].cache.count)
    }

    private func fault(of call: disk_call, _ path: String) -> disk_verdict? {
        for index in faults.indices where faults[index].strikes(call, path) {
            return noted(faults[index].verdict(on: call))
        }
        return nil
    }

    private func noted(_ verdict: disk_verdict) -> disk_verdict {
        struck[verdict.error, default: 0] += 1
        return verdict
    }

    private func findsNoRoom(_ call: disk_call, _ path: String) -> Bool {
        guard fullness != .none else { return false }
        switch call.kind {
        case disk_write.number:
            guard let node = opened[call.fd]?.node else { return false }
            return fullness == .writes || Int(call.at + call.size) > disk.nodes[node].cache.count
        case disk_allocate.number:
            guard let node = opened[call.fd]?.node else { return false }
            return Int(call.at) > disk.nodes[node].cache.count
        case disk_open.number: return disk.node(path) == nil
        case disk_mkdir.number: return disk.node(path) == nil
        default: return false
        }
    }

    /// As the model of the disk has it.
    private func path(of call: disk_call) -> String {
        if let path = call.path { return SimulatedDisk.named(path) }
        return opened[call.fd]?.path ?? ""
    }

    private static func named(_ path: UnsafePointer<CChar>) -> String {
        let text = String(cString: path)
        return text == "." ? text : "./\(text)"
    }

    // MARK: After a call

    func told(_ pointer: UnsafePointer<disk_call>?, _ result: Int64) {
        guard let call = pointer?.pointee, !isDead else { return }
        let path = path(of: call)
        if !Fault.isOfNoWorth(path) { story.add(call, path, result) }
        let isLast = dying?.call == calls && call.kind != disk_close.number
        apply(call, path, result, isCut: isLast && dying?.how == .within)
        if isLast { die() }
    }

    private func apply(_ call: disk_call, _ path: String, _ result: Int64, isCut: Bool) {
        do {
            switch call.kind {
            case disk_open.number where result >= 0: try open(path, Int32(result), call.flags)
            case disk_close.number: opened[call.fd] = nil
            case disk_write.number where isSwallowed(call, path): break
            case disk_write.number: write(call, Int(result), isCut)
            case disk_truncate.number where result == 0: resize(call.fd, to: Int(call.at))
            case disk_allocate.number where result == 0: resize(call.fd, to: Int(call.at), mayShrink: false)
            case disk_sync.number: sync(call.fd, path, result, isCut)
            case disk_rename.number where result == 0:
                guard let other = call.other else { return }
                losesName(SimulatedDisk.named(other))
                try disk.move(path, to: SimulatedDisk.named(other), calls, UInt64(calls))
            case disk_unlink.number where result == 0, disk_rmdir.number where result == 0:
                losesName(path)
                try disk.remove(path, calls, UInt64(calls))
            case disk_mkdir.number where result == 0: _ = try disk.make(path, isFolder: true, calls, UInt64(calls))
            default: break
            }
        } catch {
            preconditionFailure("the disk does not know \(path): \(error)")
        }
        if Fault.isOfNoWorth(path), let node = opened[call.fd]?.node { disk.makeDurable { $0.node == node } }
    }

    private func losesName(_ path: String) {
        if let node = disk.node(path), !disk.nodes[node].isFolder { removed.append((node, path, calls)) }
    }

    private func open(_ path: String, _ descriptor: Int32, _ flags: Int32) throws {
        let known = disk.node(path)
        let node = try known ?? disk.make(path, isFolder: false, calls, UInt64(calls))
        if known != nil, flags & O_TRUNC != 0 { disk.setSize(0, node, calls, UInt64(calls)) }
        opened[descriptor] = (node, path)
    }

    private func resize(_ descriptor: Int32, to size: Int, mayShrink: Bool = true) {
        guard let node = opened[descriptor]?.node else { return }
        guard mayShrink || size > disk.nodes[node].cache.count else { return }
        disk.setSize(size, node, calls, UInt64(calls))
    }

    private func write(_ call: disk_call, _ result: Int, _ isCut: Bool) {
        let isSynced = call.flags & O_DSYNC != 0
        guard let (node, path) = opened[call.fd], result >= 0 || isSynced else { return }
        let bytes = UnsafeRawBufferPointer(start: call.bytes, count: result < 0 ? Int(call.size) : result)
        disk.write(Array(bytes), at: Int(call.at), node, calls, UInt64(calls))
        guard isSynced, !isCut else { return }
        if result < 0 { return lose { [calls] in $0.call == calls } }
        if bug?.swallows(.writeThrough, path) != true { disk.makeDurable { [calls] in $0.call == calls } }
    }

    private func sync(_ descriptor: Int32, _ path: String, _ result: Int64, _ isCut: Bool) {
        guard let node = opened[descriptor]?.node, !isCut else { return }
        whenSynced()
        if result < 0 { return lose { $0.node == node } }
        // Names that an earlier process made are in the cache, and taken for durable.
        if bug == .namesAreTrusted, disk.nodes[node].isFolder,
            !disk.pending.contains(where: { $0.node == node && $0.call > began })
        {
            return
        }
        guard bug?.swallows(disk.nodes[node].isFolder ? .folder : .file, path) != true else { return }
        disk.makeDurable { $0.node == node }
    }

    /// The cache keeps what is new and takes it for written.
    private func lose(where isLost: (Disk.Pending) -> Bool) {
        for place in disk.pending.indices where isLost(disk.pending[place]) { disk.pending[place].isLost = true }
    }
}
