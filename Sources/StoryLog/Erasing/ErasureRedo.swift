import CXXHash
import Glibc
import StoryStorage
package import StoryCore

/// The file `erase.redo` of a directory: the erasures that are under way there.
///
/// First it says which events are to go, so that a start masks them without a search; then it has the commitments of
/// their parts, before the first record is overwritten, so that a torn one can be overwritten again.
package struct ErasureRedo: Equatable, Sendable {
    /// The events that are to go.
    package var mask: ErasureMask
    /// The erasures of those whose parts were still there; nil until they were computed.
    package var erasures: [RecordErasure]?

    /// Makes the content of a file.
    package init(_ mask: ErasureMask, _ erasures: [RecordErasure]? = nil) {
        (self.mask, self.erasures) = (mask, erasures)
    }
}

extension ErasureRedo {
    private static let magic = Array("stkerase".utf8)

    /// The content of the file, in bytes: `magic 8 · number of ranges 4 · ranges · 1, or 0 where none were computed · number
    /// of erasures 4 · erasures · XXH3-64 of all that comes before 8`, little-endian.
    var bytes: [UInt8] {
        var bytes = ErasureRedo.magic
        mask.write(to: &bytes)
        bytes.append(erasures == nil ? 0 : 1)
        bytes.append(littleEndian: UInt32(erasures?.count ?? 0))
        for erasure in erasures ?? [] { bytes += erasure.bytes }
        bytes.append(littleEndian: bytes.withUnsafeBytes { xxhi_64($0.baseAddress, $0.count, 0) })
        return bytes
    }

    /// Decodes the content of the file; nil where it is none, or changed.
    init?(_ bytes: [UInt8]) {
        let end = bytes.count - 8
        guard end >= ErasureRedo.magic.count, bytes.starts(with: ErasureRedo.magic),
            bytes.withUnsafeBytes({ xxhi_64($0.baseAddress, end, 0) == $0.number(at: end, as: UInt64.self) })
        else { return nil }
        var rest = bytes[ErasureRedo.magic.count..<end]
        guard let mask = ErasureMask(&rest), rest.count >= 5 else { return nil }
        let hasErasures = rest.removeFirst() == 1
        let count = Int(Array(rest.prefix(4)).number(at: 0, as: UInt32.self))
        rest.removeFirst(4)
        var erasures: [RecordErasure] = []
        for _ in 0..<count {
            guard let erasure = RecordErasure(&rest) else { return nil }
            erasures.append(erasure)
        }
        guard rest.isEmpty else { return nil }
        self.init(mask, hasErasures ? erasures : nil)
    }

    /// Writes and syncs the file, in place of an older one once it is complete.
    ///
    /// - Throws: `.full` or `.failed` if it cannot be written; then the older one is left.
    package func write(to path: String) throws(StorageError) {
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
        guard let redo = ErasureRedo(try file.read(file.size(path), at: 0, of: path)) else {
            throw .corrupt("\(path) is damaged, which says what is being erased", at: nil)
        }
        return redo
    }
}
