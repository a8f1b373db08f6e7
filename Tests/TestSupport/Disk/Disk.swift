import Glibc

/// What a disk surely holds, what the system's cache has beyond that, and what a power failure may leave of it.
///
/// A change waits in `pending` until a sync covers it: each sector of 512 bytes, each size of a file and each name in a
/// folder by itself. After a power failure any of them may be there and any other not.
package final class Disk {
    package static let sector = 512

    /// A file or a folder.
    package final class Node {
        package let isFolder: Bool
        /// What is durable of a file.
        package var durable: [UInt8]
        /// What a process sees of it.
        package var cache: [UInt8]
        /// What is durable of a folder's names.
        package var durableNames: [String: Int] = [:]
        /// What a process sees of them.
        package var names: [String: Int] = [:]

        init(isFolder: Bool, _ bytes: [UInt8] = []) {
            self.isFolder = isFolder
            durable = bytes
            cache = bytes
        }
    }

    /// A change of a folder's names.
    package enum NameChange {
        case added(String, Int)
        case removed(String)
        case moved(String, to: String, Int)
    }

    /// Something that is not durable.
    package struct Pending {
        package enum Change {
            /// A sector's bytes as they are in the cache after a write.
            case sector(Int, ArraySlice<UInt8>)
            case size(Int)
            case name(NameChange)
        }

        package let change: Change
        package let node: Int
        /// Of the call that it is from: the parts of one call have one number.
        package let call: Int
        /// When that call ended; nil while it is under way.
        package let end: UInt64?
        /// The system has given up writing it: no later sync makes it durable.
        package var isLost = false
    }

    package private(set) var nodes: [Node] = [Node(isFolder: true)]
    package var pending: [Pending] = []

    /// The root of all that was recorded; its path stands before each other one.
    package let root: String

    /// A disk that holds what lies in a folder now, all of it durable.
    ///
    /// - Parameter name: the path that processes had for it.
    package init(_ path: String, named name: String? = nil) throws {
        root = name ?? path
        try load(path, into: 0)
    }

    /// The same again, to be changed by itself.
    package init(_ other: Disk) {
        (root, pending) = (other.root, other.pending)
        nodes = other.nodes.map { node in
            let copy = Node(isFolder: node.isFolder, node.durable)
            (copy.cache, copy.names, copy.durableNames) = (node.cache, node.names, node.durableNames)
            return copy
        }
    }

    /// A disk that holds an image, all of it durable.
    package init(_ image: Image, named name: String) {
        root = name
        for folder in image.folders { add(Node(isFolder: true), folder) }
        for (path, bytes) in image.files { add(Node(isFolder: false, bytes), path) }
    }

    private func add(_ node: Node, _ path: String) {
        nodes.append(node)
        guard let (folder, name) = try? place("\(root)/\(path)") else {
            preconditionFailure("An image names a folder before what is in it.")
        }
        nodes[folder].names[name] = nodes.count - 1
        nodes[folder].durableNames[name] = nodes.count - 1
    }

    private func load(_ path: String, into folder: Int) throws {
        for name in try Files.names(in: path) {
            let place = "\(path)/\(name)"
            var status = stat()
            guard lstat(place, &status) == 0 else { throw SystemRefused(call: "lstat", code: errno) }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            nodes.append(Node(isFolder: isFolder, isFolder ? [] : RawFile.read(place)))
            let number = nodes.count - 1
            nodes[folder].names[name] = number
            nodes[folder].durableNames[name] = number
            if isFolder { try load(place, into: number) }
        }
    }

    // MARK: Names

    /// The node at a path as processes see it; nil where there is none.
    package func node(_ path: String) -> Int? {
        guard path.hasPrefix(root) else { return nil }
        var number = 0
        for part in path.dropFirst(root.count).split(separator: "/") {
            guard let next = nodes[number].names[String(part)] else { return nil }
            number = next
        }
        return number
    }

    /// The folder that a path is in, and its name there.
    package func place(_ path: String) throws -> (folder: Int, name: String) {
        guard let slash = path.lastIndex(of: "/"), let folder = node(String(path[..<slash])) else {
            throw TookTooLong(what: "no folder is known for \(path)")
        }
        return (folder, String(path[path.index(after: slash)...]))
    }

    package func make(_ path: String, isFolder: Bool, _ call: Int, _ end: UInt64?) throws -> Int {
        let (folder, name) = try place(path)
        nodes.append(Node(isFolder: isFolder))
        change(folder, .added(name, nodes.count - 1), call, end)
        return nodes.count - 1
    }

    package func remove(_ path: String, _ call: Int, _ end: UInt64?) throws {
        let (folder, name) = try place(path)
        change(folder, .removed(name), call, end)
    }

    package func move(_ path: String, to other: String, _ call: Int, _ end: UInt64?) throws {
        let (folder, name) = try place(path)
        let (target, newName) = try place(other)
        guard folder == target, let moved = nodes[folder].names[name] else {
            throw TookTooLong(what: "\(path) was renamed to another folder: \(other)")
        }
        change(folder, .moved(name, to: newName, moved), call, end)
    }

    private func change(_ folder: Int, _ change: NameChange, _ call: Int, _ end: UInt64?) {
        Disk.apply(change, to: &nodes[folder].names)
        pending.append(Pending(change: .name(change), node: folder, call: call, end: end))
    }

    package static func apply(_ change: NameChange, to names: inout [String: Int]) {
        switch change {
        case .added(let name, let node): names[name] = node
        case .removed(let name): names[name] = nil
        case .moved(let name, let other, let node):
            if names[name] == node { names[name] = nil }
            names[other] = node
        }
    }

    // MARK: Files

    package func write(_ bytes: [UInt8], at start: Int, _ node: Int, _ call: Int, _ end: UInt64?) {
        guard !bytes.isEmpty else { return }
        let file = nodes[node]
        if start + bytes.count > file.cache.count { setSize(start + bytes.count, node, call, end) }
        file.cache.replaceSubrange(start..<start + bytes.count, with: bytes)
        note(start..<start + bytes.count, node, call, end)
    }

    package func setSize(_ size: Int, _ node: Int, _ call: Int, _ end: UInt64?) {
        let file = nodes[node]
        let old = file.cache.count
        guard size != old else { return }
        if size > old {
            file.cache.append(contentsOf: [UInt8](repeating: 0, count: size - old))
        } else {
            // What is behind the new end is gone: where the file grows again, zeros are there.
            file.cache.replaceSubrange(size..<old, with: repeatElement(0, count: old - size))
            note(size..<old, node, call, end)
            file.cache.removeLast(old - size)
        }
        pending.append(Pending(change: .size(size), node: node, call: call, end: end))
    }

    private func note(_ range: Range<Int>, _ node: Int, _ call: Int, _ end: UInt64?) {
        let file = nodes[node]
        for sector in range.lowerBound / Disk.sector...(range.upperBound - 1) / Disk.sector {
            let bytes = file.cache[sector * Disk.sector..<min((sector + 1) * Disk.sector, file.cache.count)]
            // A copy of its own, lest the whole file be kept.
            let kept = ArraySlice(Array(bytes))
            pending.append(Pending(change: .sector(sector, kept), node: node, call: call, end: end))
        }
    }

    // MARK: Syncs

    /// Makes durable what waits and `isCovered` says so, in its order; older versions of the same are gone then.
    package func makeDurable(where isCovered: (Pending) -> Bool) {
        var newest: [Place: Int] = [:]
        for (index, item) in pending.enumerated() where !item.isLost && isCovered(item) {
            apply(item)
            newest[Place(item)] = index
        }
        guard !newest.isEmpty else { return }
        var kept: [Pending] = []
        for (index, item) in pending.enumerated() {
            if let last = newest[Place(item)], index <= last { continue }
            kept.append(item)
        }
        pending = kept
    }

    /// What the items of one place replace in each other.
    private struct Place: Hashable {
        let node: Int
        let sector: Int
        let name: Int

        init(_ item: Pending) {
            node = item.node
            switch item.change {
            case .sector(let number, _): (sector, name) = (number, -1)
            case .size: (sector, name) = (-1, -1)
            // Changes of names do not replace one another.
            case .name: (sector, name) = (-2, item.call)
            }
        }
    }

    private func apply(_ item: Pending) {
        let node = nodes[item.node]
        switch item.change {
        case .sector(let sector, let bytes): Disk.put(bytes, sector, into: &node.durable, mayGrow: true)
        case .size(let size): Disk.resize(&node.durable, size)
        case .name(let change): Disk.apply(change, to: &node.durableNames)
        }
    }

    package static func put(_ bytes: ArraySlice<UInt8>, _ sector: Int, into file: inout [UInt8], mayGrow: Bool = false)
    {
        let start = sector * Disk.sector
        if mayGrow, file.count < start + bytes.count { resize(&file, start + bytes.count) }
        let end = min(start + bytes.count, file.count)
        guard start < end else { return }
        file.withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: target[start..<end])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<(end - start)]))
            }
        }
    }

    package static func resize(_ file: inout [UInt8], _ size: Int) {
        if size < file.count {
            file.removeLast(file.count - size)
        } else {
            file.append(contentsOf: [UInt8](repeating: 0, count: size - file.count))
        }
    }
}
