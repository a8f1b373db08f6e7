import Glibc
package import StoryCore

/// The text that the system gave this process: the command line, the environment variables, the working directory.
package enum ProcessInput {
    /// Returns the words of the command line without the program's name.
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

    /// Returns a variable of the environment; nil when it is not set.
    ///
    /// - Throws: `NotUTF8`, which names the variable.
    package static func variable(_ name: String) throws(NotUTF8) -> String? {
        guard let value = getenv(name) else { return nil }
        return try SystemText.read(bytes(value), of: name)
    }

    /// Returns the paths that options, variables and rules define.
    package static func paths() -> DefaultPaths<NotUTF8> {
        let uid = getuid()
        let hasRunDirectory = access(SystemPaths.runDirectory(uid: uid), W_OK) == 0
        return DefaultPaths(uid: uid, hasRunDirectory: hasRunDirectory) { name throws(NotUTF8) in try variable(name) }
    }

    /// Returns the absolute path of one that is relative to the working directory.
    ///
    /// - Throws: `.failed` when there is no working directory, or its path is not UTF-8.
    package static func absolute(_ path: String) throws(StorageError) -> String {
        guard !path.utf8.starts(with: "/".utf8) else { return path }
        guard let directory = getcwd(nil, 0) else { throw SystemError.from(errno, "looking for the working directory") }
        defer { free(directory) }
        return try text(directory, of: "the working directory") + "/" + path
    }

    /// Sets the umask so that the owner has all rights on the files that this process creates, whichever umask was
    /// inherited.
    ///
    /// Only the rights of others are masked. The umask belongs to all threads: call it before there is a second one.
    package static func keepOwnersRights() { umask(umask(0o077) & 0o077) }

    /// Converts a path that the system returned to text.
    ///
    /// - Throws: `.failed` when it is not UTF-8.
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
