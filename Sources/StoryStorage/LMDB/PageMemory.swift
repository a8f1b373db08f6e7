import StoryCore

/// The pages that a write transaction changes at most, without those of its cursors.
struct PageCount {
    /// The pages that an entry behind all others changes besides the path to it: a leaf, and the page of its value.
    static let ofLast = 2
    /// The pages that another entry changes: each of four levels, which may be split, and the page of its value.
    static let ofEntry = 9

    private var current = 0
    /// The most of one transaction since the environment was opened.
    private(set) var most = 0

    mutating func begin() { current = 0 }

    mutating func add(_ pages: Int) {
        current += pages
        most = max(most, current)
    }
}

/// The memory of changed pages, which LMDB keeps for the next transaction and does not clear: the part of a page that a
/// later commit leaves unused has bytes of the pages before.
extension Environment {
    /// The pages that a commit changes besides: the path to its last entry, and the list of free pages.
    private static let pagesOfCommit = 256

    /// Overwrites that memory with zeros, as far as the map of the file has room for as many pages.
    ///
    /// No write transaction may be under way, or begin meanwhile. Nothing is changed in the file.
    ///
    /// - Throws: when LMDB refuses.
    func clearPageMemory() throws(StorageError) {
        // Pages that are taken here hold zeros.
        let before = changes
        defer { changes = before }
        let count = changes.most + Environment.pagesOfCommit
        // A round leaves its own tree pages as they are; the next round takes their memory for values, since it takes the
        // pages in another order.
        for round in 0..<3 { try takePages(count + round * 57) }
    }

    /// Takes pages of memory, fills them with zeros and gives them back.
    private func takePages(_ count: Int) throws(StorageError) {
        let transaction = try WriteTransaction(self)
        let size = pageSize - TreePage.headerSize
        do {
            for number in 0..<UInt32(clamping: count) {
                // After every other key, and in ascending order.
                let key = [UInt8](repeating: 0xFF, count: 16) + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
                try key.withBytes { (key) throws(StorageError) in
                    let memory = try transaction.append(reserving: size, in: .main, at: key)
                    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
                }
            }
        } catch {
            guard case .full = error else { throw error }
        }
    }
}
