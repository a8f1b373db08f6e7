import CXXHash
import Glibc
import StoryStorage
import Synchronization
package import StoryCore

/// The content of the file `erase.redo`: the erasures that are under way in a directory.
///
/// First it has the orders, so that a start masks their events without a search; then the commitments of their parts,
/// before the first record is overwritten, so that a torn one can be overwritten again. The positions are not in it: the
/// events `Erased` themselves have them, so an order that was undone has none.
package struct ErasureRedo: Equatable, Sendable {
    /// The positions of the events `Erased`, in ascending order.
    package var erasers: [Position]
    /// The erasures of the events whose parts were still there; empty until they were computed.
    package var erasures: [RecordErasure]

    /// Makes the content of a file.
    package init(_ erasers: [Position], _ erasures: [RecordErasure] = []) {
        (self.erasers, self.erasures) = (erasers, erasures)
    }
}

extension ErasureRedo {
    private static let magic = Array("stkerase".utf8)

    /// The content of the file, in bytes: `magic 8 · number of erasers 4 · position of each 6 · number of erasures 4 ·
    /// erasures · XXH3-64 of all that comes before 8`, little-endian.
    var bytes: [UInt8] {
        var bytes = ErasureRedo.magic
        bytes.append(littleEndian: UInt32(erasers.count))
        for eraser in erasers { bytes.append(sixBytesOf: eraser.value) }
        bytes.append(littleEndian: UInt32(erasures.count))
        for erasure in erasures { bytes += erasure.bytes }
        bytes.append(littleEndian: bytes.withUnsafeBytes { xxhi_64($0.baseAddress, $0.count, 0) })
        return bytes
    }

    /// Decodes the content of the file; nil where it is none, or changed.
    init?(file bytes: [UInt8]) {
        let end = bytes.count - 8
        guard end >= ErasureRedo.magic.count, bytes.starts(with: ErasureRedo.magic),
            bytes.withUnsafeBytes({ xxhi_64($0.baseAddress, end, 0) == $0.number(at: end, as: UInt64.self) })
        else { return nil }
        var rest = bytes[ErasureRedo.magic.count..<end]
        guard let count = ErasureRedo.takeCount(&rest), rest.count / 6 >= count else { return nil }
        var erasers: [Position] = []
        for _ in 0..<count {
            erasers.append(Position(rest.prefix(6).sixByteNumber))
            rest.removeFirst(6)
        }
        guard let count = ErasureRedo.takeCount(&rest) else { return nil }
        var erasures: [RecordErasure] = []
        for _ in 0..<count {
            guard let erasure = RecordErasure(&rest) else { return nil }
            erasures.append(erasure)
        }
        guard rest.isEmpty else { return nil }
        self.init(erasers, erasures)
    }

    private static func takeCount(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 4 else { return nil }
        defer { bytes.removeFirst(4) }
        return Int(Array(bytes.prefix(4)).number(at: 0, as: UInt32.self))
    }

    /// Writes and syncs the file, in place of an older one once it is complete.
    ///
    /// - Throws: `.full` or `.failed` if it cannot be written; then the older one is left.
    func write(to path: String) throws(StorageError) {
        let draft = path + ".tmp"
        do throws(StorageError) {
            let file = try FileHandle(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
            try file.write(bytes, to: draft)
            try file.sync(draft)
            try Folder.rename(draft, to: path)
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Reads the file; nil where there is none.
    ///
    /// - Throws: `.corrupt` if it is damaged, `.failed` if it cannot be read.
    package static func read(_ path: String) throws(StorageError) -> ErasureRedo? {
        guard Folder.exists(path) else { return nil }
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        guard let redo = ErasureRedo(file: try file.read(file.size(path), at: 0, of: path)) else {
            throw .corrupt("\(path) is damaged, which says what is being erased", at: nil)
        }
        return redo
    }
}

/// The file of the erasures that are under way in a directory that is served; threads change it one after the other.
final class ErasureLedger: Sendable {
    private let path: String
    /// The content of the file; nil where there is none.
    private let content: Mutex<ErasureRedo?>

    /// Reads the file.
    ///
    /// - Throws: as `ErasureRedo.read`.
    init(_ path: String) throws(StorageError) {
        self.path = path
        content = Mutex(try ErasureRedo.read(path))
    }

    /// The content of the file as it was written last; nil where there is none.
    var redo: ErasureRedo? { content.withLock { $0 } }

    /// Adds orders, before the first block that has one is stored.
    ///
    /// - Throws: as `ErasureRedo.write`; then nothing is added.
    func add(_ erasers: [Position]) throws(StorageError) {
        try change { redo in
            redo.erasers = Array(Set(redo.erasers + erasers)).sorted()
        }
    }

    /// Adds the erasures of records, before the first of them is overwritten.
    ///
    /// - Throws: as `ErasureRedo.write`; then nothing is added.
    func add(_ erasures: [RecordErasure]) throws(StorageError) {
        try change { $0.erasures = erasures }
    }

    /// Removes orders that are carried out, with all erasures of records; the last ones with the file.
    ///
    /// - Throws: as `ErasureRedo.write`; then nothing is removed.
    func remove(_ erasers: [Position]) throws(StorageError) {
        try change { redo in
            redo.erasers.removeAll { erasers.contains($0) }
            redo.erasures = []
        }
    }

    private func change(_ body: (inout ErasureRedo) -> Void) throws(StorageError) {
        try content.withLock { (content: inout ErasureRedo?) throws(StorageError) in
            var redo = content ?? ErasureRedo([])
            body(&redo)
            guard redo != content else { return }
            guard redo.erasers.isEmpty else {
                try redo.write(to: path)
                return content = redo
            }
            guard content != nil else { return }
            guard unlink(path) == 0 || errno == ENOENT else { throw SystemError.from(errno, "removing \(path)") }
            try Folder.sync(Folder.parent(of: path))
            content = nil
        }
    }
}
