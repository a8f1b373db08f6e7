import Glibc
package import StoryCore

/// The owner of the history in a data directory.
package enum DirectoryKind: Equatable, Sendable {
    /// The store itself, which appends to it.
    case store
    /// Another store, which this one follows. Alone it would diverge.
    case replica
    /// A log that several nodes have, of which this one is a node. Alone it would diverge.
    case node(log: String, node: String)

    /// Reads the words behind the version in `FORMAT`; nil for words that this program does not know.
    init?(_ words: ArraySlice<Substring>) {
        let words = Array(words)
        switch words.first {
        case nil: self = .store
        case "replica" where words.count == 1: self = .replica
        case "node" where words.count == 3 && words[1...].allSatisfy({ NodeName.isValid($0) }):
            self = .node(log: String(words[1]), node: String(words[2]))
        default: return nil
        }
    }

    /// The words behind the version, at which programs that know of none stop.
    var words: [String] {
        switch self {
        case .store: []
        case .replica: ["replica"]
        case .node(let log, let node): ["node", log, node]
        }
    }
}

/// The file `FORMAT`, which describes a data directory to a person, and to a program of another version.
package enum FormatFile {
    /// The version of the layout that this program writes.
    package static let version = 4

    private static let firstWord = "storykeep"
    /// The greatest number of bytes of the first line.
    private static let mostOfLine = 256
    private static let text = """

        This directory belongs to stored. Nothing but stored and storectl may open the files in it.
        log/     LMDB. Key: the first position of a block, 8 bytes, big-endian; key 0 is the header of the log.
                 A block, little-endian: layout (4), records (4), first position (8), times of the first and the last
                 record in milliseconds since 1970 (8, 8), bytes of the block (4), 0 (4), XXH3-64 of this and the table
                 (8); the table: where in the block each record begins (4 each); the records; the seal of the last
                 record (32): SHA-256 of the seal before, of the record's header and of its parts.
                 A record: XXH3-64 of the rest with the position as its seed (8), state (1), layout (1), length of tags
                 (2), uid (4), time (8), version (6), stream number (6), length of meta (4), of stream, type, key and
                 cursor (1 each), of the JSON (3), number of zeros (1); a salt (16) where there are key or tags, a salt
                 (16); the event's JSON; zeros.
        log.journal  The newest commits, which log/ may lack: a header of 40 bytes; from byte 4096 on two halves of
                 sectors of 512 bytes: XXH3-64 of the rest with the sector's number as its seed (8), number of the
                 commit (8), number of the sector in it (4), its sectors (4), 488 bytes of the commit. A commit: first
                 position (8), records (4), their bytes (4), XXH3-64 of its other sectors' (8), the records.
        models/  LMDB. One table a name, folded from the log; may be deleted while no daemon runs.
        find/    SQLite. The words of events, folded from the log; may be deleted while no daemon runs.
        lock     Held with flock by the one process that serves the directory; its text is that process's number.

        """

    /// Checks that the directory has this program's layout.
    ///
    /// - Returns: the owner of its history.
    /// - Throws: `.failed` for another version, with the way to its events; `.corrupt` when the file has no version.
    static func check(_ folder: String) throws(StorageError) -> DirectoryKind {
        let path = folder + "/FORMAT"
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        let line = try file.read(mostOfLine, at: 0, of: path).prefix { $0 != 0x0A }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == firstWord, let found = Int(words[1]) else {
            throw .corrupt("\(path) does not say which format \(folder) has", at: nil)
        }
        guard found == version else {
            let next =
                found > version
                ? "start a newer version"
                : "export it with the storectl of the version that wrote it, and import that into a new directory"
            throw .failed("\(folder) has format \(found), and this program reads format \(version): \(next)")
        }
        guard let kind = DirectoryKind(words[2...]) else {
            throw .failed(
                "\(path) says \"\(words[2...].joined(separator: " "))\", which this program does not know: start a newer "
                    + "version")
        }
        return kind
    }

    static func exists(_ folder: String) -> Bool { Folder.exists(folder + "/FORMAT") }

    /// Writes the file atomically.
    package static func create(_ folder: String, _ kind: DirectoryKind = .store) throws(StorageError) {
        let draft = folder + "/FORMAT.tmp"
        let file = try FileHandle(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        let first = ([firstWord, String(version)] + kind.words).joined(separator: " ")
        try file.write(Array((first + "\n" + text).utf8), to: draft)
        try file.sync(draft)
        try Folder.rename(draft, to: folder + "/FORMAT")
    }
}

/// The rules for the names of nodes and of their logs, which are words of `FORMAT` and parts of keys.
package enum NodeName {
    /// The greatest number of characters.
    package static let most = 64

    /// Returns true for a name: letters, digits, `.`, `-` and `_`, with a letter or a digit first.
    package static func isValid(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isAlphanumeric(first), text.utf8.count <= most else { return false }
        return text.utf8.allSatisfy { isAlphanumeric($0) || [0x2D, 0x2E, 0x5F].contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
    }
}
