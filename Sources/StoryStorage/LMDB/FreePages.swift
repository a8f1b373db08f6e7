import Glibc
package import StoryCore

/// The pages of an environment's file that no snapshot needs: they still have what was written to them before.
extension Environment {
    /// The table of the free pages: of each transaction, the pages that it freed.
    private static let freePages = Database(handle: 0)
    /// The number of bytes that are written at once.
    private static let piece = 1 << 20

    /// Fills the free pages, and what is behind the last page, with zeros, and syncs the file.
    ///
    /// No write transaction may be under way, or begin meanwhile.
    ///
    /// - Returns: false where a snapshot, of any process, may still need one of the pages; then nothing is changed.
    /// - Throws: `.corrupt` where the table of the free pages is damaged; otherwise the error of the system.
    package func zeroFreePages() throws(StorageError) -> Bool {
        let (pages, last) = try freePages()
        if let oldest = raw.oldestSnapshot, oldest < last { return false }
        var index = pages.startIndex
        while index < pages.endIndex {
            var end = index + 1
            while end < pages.endIndex, pages[end] == pages[index] + UInt64(end - index) { end += 1 }
            try zero(from: Int(pages[index]) * pageSize, count: (end - index) * pageSize)
            index = end
        }
        let used = usedBytes
        if fileSize > used { try zero(from: used, count: fileSize - used) }
        guard fdatasync(fileDescriptor) == 0 else { throw SystemError.from(errno, "syncing \(path)/data.mdb") }
        return true
    }

    /// Returns the free pages of the newest commit, in order, and the number of the last transaction that freed one.
    private func freePages() throws(StorageError) -> (pages: [UInt64], last: UInt) {
        let view = try ReadTransaction(self)
        var (pages, last) = ([UInt64](), UInt(0))
        let end = UInt64(usedBytes / pageSize)
        try view.withCursor(in: Environment.freePages) { (cursor) throws(StorageError) in
            var entry = try cursor.first()
            while let found = entry {
                let count = found.value.count / 8
                guard found.key.count == 8, count > 0, found.value.number(at: 0, as: UInt64.self) < UInt64(count) else {
                    throw damagedFreePages
                }
                last = max(last, UInt(found.key.number(at: 0, as: UInt64.self)))
                for index in 0..<Int(found.value.number(at: 0, as: UInt64.self)) {
                    let page = found.value.number(at: 8 * (index + 1), as: UInt64.self)
                    guard page > 1, page < end else { throw damagedFreePages }
                    pages.append(page)
                }
                entry = try cursor.next()
            }
        }
        return (pages.sorted(), last)
    }

    private var damagedFreePages: StorageError {
        .corrupt("the table of free pages of \(path)/data.mdb is damaged", at: nil)
    }

    private func zero(from start: Int, count: Int) throws(StorageError) {
        let zeros = [UInt8](repeating: 0, count: min(count, Environment.piece))
        var offset = 0
        while offset < count {
            let written = zeros.withUnsafeBytes {
                pwrite(fileDescriptor, $0.baseAddress, min(zeros.count, count - offset), off_t(start + offset))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw SystemError.from(errno, "writing \(path)/data.mdb") }
            offset += written
        }
    }
}
