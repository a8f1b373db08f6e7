import Glibc
package import StoryCore

/// The text that the system gave this process: the words of its command line, its variables, its working directory.
package enum ProcessInput {
    /// The words of the command line but for the program's name.
    ///
    /// - Throws: `NotUTF8`, which names the option.
    package static func words() throws(NotUTF8) -> [String] {
        var words: [String] = []
        for index in 1..<max(Int(CommandLine.argc), 1) {
            guard let word = CommandLine.unsafeArgv[index] else { break }
            let bytes = ProcessInput.bytes(word)
            words.append(try SystemText.read(bytes, of: source(of: bytes, after: words.last)))
        }
        return words
    }

    /// A variable of the environment; nil where there is none.
    ///
    /// - Throws: `NotUTF8`, which names it.
    package static func variable(_ name: String) throws(NotUTF8) -> String? {
        guard let value = getenv(name) else { return nil }
        return try SystemText.read(bytes(value), of: name)
    }

    /// The paths that options, variables and rules give.
    package static func paths() -> DefaultPaths<NotUTF8> {
        let uid = getuid()
        let hasRunDirectory = access(SystemPaths.runDirectory(uid: uid), W_OK) == 0
        return DefaultPaths(uid: uid, hasRunDirectory: hasRunDirectory) { name throws(NotUTF8) in try variable(name) }
    }

    /// The path from the root on, seen from the working directory.
    ///
    /// - Throws: `NotUTF8` where the working directory is not; `.failed` where there is none.
    package static func absolute(_ path: String) throws(StorageError) -> String {
        guard !path.utf8.starts(with: "/".utf8) else { return path }
        guard let directory = getcwd(nil, 0) else { throw SystemError.from(errno, "looking for the working directory") }
        defer { free(directory) }
        return try text(directory, of: "the working directory") + "/" + path
    }

    /// Gives the owner of what this process makes all the rights that it is made with, whatever umask was inherited.
    ///
    /// Only the rights of others are masked. The umask belongs to all threads: call it before there is a second one.
    package static func keepOwnersRights() { umask(umask(0o077) & 0o077) }

    /// A path that the system returned, as text.
    ///
    /// - Throws: `.failed` where it is not UTF-8.
    static func text(_ path: UnsafePointer<CChar>, of source: String) throws(StorageError) -> String {
        do throws(NotUTF8) {
            return try SystemText.read(bytes(path), of: source)
        } catch {
            throw .failed("\(error)")
        }
    }

    private static func source(of word: UnsafeRawBufferPointer, after last: String?) -> String {
        if word.starts(with: "--".utf8), let end = word.firstIndex(of: UInt8(ascii: "=")) {
            return SystemText.shown(word[..<end])
        }
        guard let last, last.hasPrefix("--"), !last.contains("=") else { return "the command line" }
        return last
    }

    private static func bytes(_ text: UnsafePointer<CChar>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text, count: strlen(text))
    }
}
