import Glibc
package import StoryCore

/// A folder that is created under another name, beside its final path, and renamed when it is complete.
///
/// It replaces an empty folder at that path.
package struct NewFolder: Sendable {
    /// The path until then; no other process has the same one.
    package let draft: String
    private let target: String

    /// Chooses the path of the draft.
    ///
    /// - Throws: `.failed` when something is at the path, or a folder there cannot be replaced.
    package init(_ path: String) throws(StorageError) {
        target = try NewFolder.target(of: path)
        let suffix = ".\(getpid()).\(try RandomBytes.hexadecimal(4)).tmp"
        draft = NewFolder.shortened(target, by: suffix.utf8.count) + suffix
    }

    /// The maximum length of a name in the file systems of Linux, in bytes.
    package static let longestName = 255

    /// Returns the path with room for `count` more bytes in its last name, which is cut between two characters if
    /// needed.
    private static func shortened(_ path: String, by count: Int) -> String {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        var name = path[start...]
        while name.utf8.count + count > longestName { name.removeLast() }
        return String(path[..<start]) + name
    }

    /// Renames the draft to its final path.
    ///
    /// - Throws: `.failed` when something was created there meanwhile.
    package func publish() throws(StorageError) {
        if Folder.exists(target) { try NewFolder.checkEmpty(target, target) }
        // If something is created there now, the system refuses: only an empty folder can be replaced.
        try Folder.rename(draft, to: target)
    }

    /// Returns the path without links, and without slashes and dots at its end.
    private static func target(of path: String) throws(StorageError) -> String {
        var name = path[...]
        while name.count > 1, name.hasSuffix("/") || name.hasSuffix("/.") { name.removeLast() }
        guard let target = try Folder.resolved(String(name)) else {
            guard !Folder.isThere(String(name)) else { throw .failed("\(path) leads to nothing; name a new directory") }
            guard let slash = name.lastIndex(of: "/"), let parent = try Folder.resolved(Folder.parent(of: String(name)))
            else {
                return String(name)
            }
            return (parent == "/" ? "" : parent) + name[slash...]
        }
        try checkEmpty(target, path)
        guard try device(of: target) == device(of: Folder.parent(of: target)) else {
            throw .failed("\(path) is a file system of its own, which nothing can replace; name a new directory in it")
        }
        guard target != (try Folder.resolved(".")) else {
            throw .failed(
                "\(path) is the directory you are in, and would be replaced; go elsewhere and name it from there")
        }
        return target
    }

    private static func checkEmpty(_ target: String, _ path: String) throws(StorageError) {
        guard try Folder.names(in: target).isEmpty else { throw .failed("\(path) is not empty; name a new directory") }
    }

    private static func device(of path: String) throws(StorageError) -> dev_t {
        try FileHandle(path, O_RDONLY | O_DIRECTORY).status(path).st_dev
    }
}
