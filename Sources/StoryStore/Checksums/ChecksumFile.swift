import CXXHash
import Glibc
import StoryCore
import StoryStorage

/// The head of the checksum file.
struct ChecksumHead: Equatable {
    let transaction: UInt64
    /// The XXH3-64 of the first page of the commit.
    let meta: UInt64

    init(_ meta: MetaPage) {
        transaction = meta.transaction
        self.meta = meta.bytes.withBytes { XXH3_64bits($0.baseAddress, $0.count) }
    }

    /// Parses a head; nil when the bytes are not one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == PageChecksums.headSize, bytes.starts(with: PageChecksums.magic),
            ChecksumHead.checksum(bytes) == bytes.number(at: 56, as: UInt64.self)
        else { return nil }
        transaction = bytes.number(at: 8, as: UInt64.self)
        meta = bytes.number(at: 16, as: UInt64.self)
    }

    var bytes: [UInt8] {
        var bytes = PageChecksums.magic
        bytes.append(littleEndian: transaction)
        bytes.append(littleEndian: meta)
        bytes += [UInt8](repeating: 0, count: 56 - bytes.count)
        bytes.append(littleEndian: ChecksumHead.checksum(bytes))
        return bytes
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 { bytes.withBytes { XXH3_64bits($0.baseAddress, 56) } }
}

/// The open checksum file.
struct ChecksumFile: ~Copyable {
    /// The largest distance, in checksums, between changed ones that are written at once with those between them.
    private static let near = 512

    let file: FileHandle

    /// Reads the head; returns nil where nothing was written yet.
    ///
    /// - Throws: `.corrupt` where the head is damaged.
    func head(_ path: String) throws(StorageError) -> ChecksumHead? {
        let bytes = try file.read(PageChecksums.headSize, at: 0, of: path)
        if let head = ChecksumHead(bytes) { return head }
        guard bytes.allSatisfy({ $0 == 0 }) else { throw .corrupt("\(path) is damaged", at: nil) }
        return nil
    }

    func grow(to pages: UInt64, _ path: String) throws(StorageError) {
        let size = try file.size(path)
        let needed = PageChecksums.headSize + 8 * Int(pages)
        guard size < needed else { return }
        let code = posix_fallocate(file.descriptor, off_t(size), off_t(needed - size))
        guard code == 0 else { throw SystemError.from(code, "making room in \(path)") }
    }

    /// Reads the checksums of the given number of pages, from the first page on.
    ///
    /// - Throws: `.corrupt` where the file has fewer.
    func read(pages: UInt64, _ path: String) throws(StorageError) -> [UInt64] {
        var sums = [UInt64](repeating: 0, count: Int(pages))
        let result = sums.withUnsafeMutableBytes { (target) -> Result<Bool, StorageError> in
            Result { () throws(StorageError) in
                try file.read(into: target, at: PageChecksums.headSize, of: path) == target.count
            }
        }
        guard try result.get() else { throw .corrupt("\(path) was cut short", at: nil) }
        for page in sums.indices { sums[page] = UInt64(littleEndian: sums[page]) }
        return sums
    }

    /// Reads the checksums of up to `count` pages from a page on; fewer at the end of the file.
    func read(from page: UInt64, atMost count: Int, _ path: String) throws(StorageError) -> [UInt64] {
        let bytes = try file.read(8 * count, at: PageChecksums.headSize + 8 * Int(page), of: path)
        return (0..<bytes.count / 8).map { bytes.number(at: 8 * $0, as: UInt64.self) }
    }

    /// Writes the checksums that changed; those near each other are written at once.
    func write(_ changed: Set<Int>, of sums: [UInt64], _ path: String) throws(StorageError) {
        var pages = changed.sorted()[...]
        while let first = pages.first {
            var last = first
            while let next = pages.first, next - last <= ChecksumFile.near { last = pages.removeFirst() }
            var bytes: [UInt8] = []
            for sum in sums[first...last] { bytes.append(littleEndian: sum) }
            try file.write(bytes, at: PageChecksums.headSize + 8 * first, to: path)
        }
    }

    func write(_ head: ChecksumHead, _ path: String) throws(StorageError) { try file.write(head.bytes, to: path) }
}
