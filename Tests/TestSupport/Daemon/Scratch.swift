import Foundation
package import Glibc

/// A folder of a test's own, removed with everything in it when the test lets go of it.
package final class Scratch: Sendable {
    package let path: String

    /// Where files cost no disk: in memory, unless this machine lets nobody write there.
    package static let memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

    /// - Parameter parent: the directory in which it is made.
    package init(in parent: String = "/tmp") throws {
        var template = Array("\(parent)/scenario-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemRefused(call: "mkdtemp", code: errno) }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A place in the folder.
    package func place(_ name: String) -> String { path + "/" + name }
}

/// Files as a whole, as a test looks at them and spoils them.
package enum Files {
    package static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    package static func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// The names of what is in a folder, in their order.
    package static func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    package static func exists(_ path: String) -> Bool { mode(path) != nil }

    /// The permission bits; nil when there is nothing.
    package static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    package static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Replaces a text by another of the same length, wherever it stands; answers how often it stood there.
    package static func replace(_ text: String, by other: String, in path: String) throws -> Int {
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        var found = 0
        while let range = data.range(of: Data(text.utf8)) {
            data.replaceSubrange(range, with: Data(other.utf8))
            found += 1
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.write(contentsOf: data)
        return found
    }

    package static func truncate(_ path: String, to size: Int) throws {
        guard Glibc.truncate(path, off_t(size)) == 0 else { throw SystemRefused(call: "truncate", code: errno) }
    }
}
