import Foundation
import Glibc

/// What a disk may hold after a power failure: folders and files with their bytes.
package struct Image {
    package private(set) var folders: [String] = []
    package private(set) var files: [(path: String, bytes: [UInt8])] = []

    package init() {}

    package mutating func addFolder(_ path: String) { folders.append(path) }

    package mutating func add(_ bytes: [UInt8], _ path: String) { files.append((path, bytes)) }

    package mutating func replace(_ path: String, _ bytes: [UInt8]) {
        if let index = files.firstIndex(where: { $0.path == path }) { files[index].bytes = bytes }
    }

    /// The bytes of a file; nil where there is none.
    package func file(_ path: String) -> [UInt8]? { files.first { $0.path == path }?.bytes }

    /// Makes it in a folder that is there and empty.
    package func write(to root: String) throws {
        for folder in folders {
            guard mkdir("\(root)/\(folder)", 0o700) == 0 else { throw SystemRefused(call: "mkdir", code: errno) }
        }
        for (path, bytes) in files { RawFile.write(bytes, "\(root)/\(path)") }
    }

    /// What lies in a folder now.
    package static func read(_ root: String, _ folder: String = "") throws -> Image {
        var image = Image()
        for name in try Files.names(in: "\(root)/\(folder)") {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder) else { continue }
            if isFolder.boolValue {
                image.addFolder(path)
                let inner = try read(root, path)
                image.folders += inner.folders
                image.files += inner.files
            } else {
                image.add(RawFile.read("\(root)/\(path)"), path)
            }
        }
        return image
    }
}

/// Everything that a power failure at one moment may leave: one image for each choice of what is kept.
package struct ImageSpace {
    private let disk: Disk
    /// The items of each node, in their order.
    private var items: [Int: [Int]] = [:]

    package init(_ disk: Disk) {
        self.disk = disk
        for (index, item) in disk.pending.enumerated() { items[item.node, default: []].append(index) }
    }

    /// How many things may be kept or not.
    package var count: Int { disk.pending.count }

    /// - Parameter kept: for each thing that is not durable whether it is there.
    package func image(_ kept: [Bool]) -> Image {
        var image = Image()
        add(0, "", kept, to: &image)
        return image
    }

    private func add(_ folder: Int, _ path: String, _ kept: [Bool], to image: inout Image) {
        var names = disk.nodes[folder].durableNames
        for index in items[folder] ?? [] where kept[index] {
            if case .name(let change) = disk.pending[index].change { Disk.apply(change, to: &names) }
        }
        for (name, number) in names.sorted(by: { $0.key < $1.key }) {
            let place = path.isEmpty ? name : "\(path)/\(name)"
            if disk.nodes[number].isFolder {
                image.addFolder(place)
                add(number, place, kept, to: &image)
            } else {
                image.add(bytes(of: number, kept), place)
            }
        }
    }

    private func bytes(of node: Int, _ kept: [Bool]) -> [UInt8] {
        var bytes = disk.nodes[node].durable
        guard let items = items[node] else { return bytes }
        for index in items where kept[index] {
            if case .size(let size) = disk.pending[index].change { Disk.resize(&bytes, size) }
        }
        for index in items where kept[index] {
            if case .sector(let sector, let content) = disk.pending[index].change {
                Disk.put(content, sector, into: &bytes)
            }
        }
        return bytes
    }
}

extension Disk {
    /// What processes see of it.
    package var cached: Image {
        var image = Image()
        addNames(of: 0, "", to: &image)
        return image
    }

    private func addNames(of folder: Int, _ path: String, to image: inout Image) {
        for (name, number) in nodes[folder].names.sorted(by: { $0.key < $1.key }) {
            let place = path.isEmpty ? name : "\(path)/\(name)"
            if nodes[number].isFolder {
                image.addFolder(place)
                addNames(of: number, place, to: &image)
            } else {
                image.add(nodes[number].cache, place)
            }
        }
    }
}
