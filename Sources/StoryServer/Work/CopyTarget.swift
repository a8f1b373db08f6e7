import Glibc
import StoryCore
import StoryStorage

/// The check of a backup's target directory, before the work begins.
enum CopyTarget {
    /// The longest path in bytes; it leaves room for the names of the files in a copy, and for the name of its draft.
    private static let longestPath = 4_095 - 64

    /// Returns why no copy can be made at a path; nil where one can.
    ///
    /// - Parameter data: the data directory, in which no copy is made.
    static func error(in path: String, besides data: String) -> FieldError? {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            return unfit("the daemon wants an absolute path")
        }
        let longest = path.utf8.split(separator: UInt8(ascii: "/")).map(\.count).max() ?? 0
        guard longest <= NewFolder.longestName else {
            return unfit(
                "a name in it has \(longest) bytes, and at most \(NewFolder.longestName) are possible", .tooLong)
        }
        guard path.utf8.count <= longestPath else {
            return unfit("it has \(path.utf8.count) bytes, and at most \(longestPath) are possible", .tooLong)
        }
        return parentError(of: path, besides: data)
    }

    private static func parentError(of path: String, besides data: String) -> FieldError? {
        var parent = Folder.parent(of: path)
        while !Folder.isThere(parent), parent != "/" { parent = Folder.parent(of: parent) }
        guard !path.dropFirst(parent.count).split(separator: "/").contains("..") else {
            return unfit("\(path) goes up again from a folder that is not there")
        }
        // Symbolic links are followed; a dangling one is no directory.
        guard access(parent + "/.", W_OK | X_OK) == 0 else {
            return unfit("the daemon's user can make nothing in \(parent): \(SystemError.text(errno))")
        }
        do throws(StorageError) {
            _ = try Folder.resolved(parent)
        } catch {
            return unfit("\(error)")
        }
        guard !Folder.isWithin(parent, data) else {
            return unfit("\(path) lies in the data directory: a copy there is lost with it")
        }
        return nil
    }

    private static func unfit(_ message: String, _ rule: FieldRule = .malformed) -> FieldError {
        FieldError(field: "directory", rule: rule, message: message)
    }
}
