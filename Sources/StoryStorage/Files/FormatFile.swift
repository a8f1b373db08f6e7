import Glibc
package import StoryCore

/// The file `FORMAT`: what a person, and a program of another version, needs to know about a data directory.
package enum FormatFile {
    /// The layout that this program writes.
    package static let version = 2
    /// The oldest layout that it reads: without a journal of commits.
    private static let oldest = 1

    private static let firstLine = "storykeep "
    private static let text = """
        storykeep \(version)

        This directory belongs to stored. Nothing but stored and storectl may open the files in it.
        log/     LMDB. Key: the position, 8 bytes, big-endian; key 0 is the header of the log.
                 Value: 40 bytes, little-endian: XXH3-64 of the rest with the position as its seed (8), milliseconds
                 since 1970 (8), version (6), stream number (6), uid (4), and the lengths of meta (4), stream (1),
                 type (1) and key (1), flags (1; 1: sealed). Then the event's JSON. Then, where it is sealed, SHA-256
                 of the seal before and all records of the commit without their seals.
        log.journal  The newest commits, which log/ may lack: a header of 40 bytes; from byte 4096 on one block a commit:
                 FF "SKJBLK" 00 (8), XXH3-64 of the rest (8), generation (8), number of the block within it (8), first
                 position (8), bytes of the block (4), records (4); then each record, as in log/, behind its length (4).
        models/  LMDB. One table a name, folded from the log; may be deleted while no daemon runs.
        lock     Held with flock by the one process that serves the directory; its text is that process's number.

        """

    /// The directory's layout; throws when it was written by a program that this one does not understand.
    static func check(_ folder: String) throws(StorageError) -> Int {
        let path = folder + "/FORMAT"
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        let line = try file.read(64, at: 0, of: path).prefix { $0 != 0x0A }
        let words = String(decoding: line, as: UTF8.self)
        guard words.hasPrefix(firstLine), let found = Int(words.dropFirst(firstLine.count)) else {
            throw .corrupt("\(path) does not say which format \(folder) has", at: nil)
        }
        guard found >= oldest, found <= version else {
            throw .failed("\(folder) has format \(found); this program knows formats \(oldest) to \(version)")
        }
        return found
    }

    static func exists(_ folder: String) -> Bool { Folder.exists(folder + "/FORMAT") }

    /// Writes it whole or not at all.
    package static func create(_ folder: String) throws(StorageError) {
        let draft = folder + "/FORMAT.tmp"
        let file = try FileHandle(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        try file.write(Array(text.utf8), to: draft)
        try file.sync(draft)
        try Folder.rename(draft, to: folder + "/FORMAT")
    }
}
