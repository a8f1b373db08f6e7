import Glibc
package import StoryCore

/// A folder that is made beside its place under another name, and has its own once it is whole.
///
/// In its place there may be an empty folder, which it replaces.
package struct NewFolder: Sendable {
    /// What it is called until it is whole; no other process has the same name.
    package let draft: String
    private let target: String

    /// - Throws: `.failed` where something is there, or nothing can take its place.
    package init(_ path: String) throws(StorageError) {
        target = try NewFolder.target(of: path)
        let suffix = ".\(getpid()).\(try RandomBytes.hexadecimal(4)).tmp"
        draft = NewFolder.shortened(target, by: suffix.utf8.count) + suffix
    }

    /// The most bytes that a name may have in the file systems of Linux.
    package static let longestName = 255

    /// A path whose last name has room for so many bytes more: cut where it has none, between two characters.
    private static func shortened(_ path: String, by count: Int) -> String {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        var name = path[start...]
        while name.utf8.count + count > longestName { name.removeLast() }
        return String(path[..<start]) + name
    }

    /// Gives the draft its name.
    ///
    /// - Throws: `.failed` where something was made there meanwhile.
    package func publish() throws(StorageError) {
        if Folder.exists(target) { try NewFolder.checkEmpty(target, target) }
        // Where something is made there now, the system refuses: only an empty folder can be replaced.
        try Folder.rename(draft, to: target)
    }

    /// The place without links, nor slashes and dots at its end.
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
