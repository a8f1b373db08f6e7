import CLMDB
import Glibc
package import StoryCore

/// The text that the system gave this process: the command line, the environment variables, the working directory.
package enum ProcessInput {
    /// Returns the words of the command line without the program's name.
    ///
    /// - Throws: `NotUTF8`, which names the option.
    package static func words() throws(NotUTF8) -> [String] {
        var words: [String] = []
        for word in arguments.dropFirst() {
            guard let word else { break }
            let bytes = ProcessInput.bytes(word)
            words.append(try SystemText.read(bytes, of: source(of: bytes, after: words.last)))
        }
        return words
    }

    /// The command line with the program's name, as the C library has it: also where `/proc` is not mounted, which Swift's
    /// own list is read from. A null follows the last word.
    package static var arguments: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?> {
        var count: Int32 = 0
        let words = clm_arguments(&count)
        return UnsafeMutableBufferPointer(start: words, count: Int(count))
    }

    /// Starts this program again with the same words, and no signal blocked.
    ///
    /// - Returns: the number of the process; nil when the system refuses.
    package static func startAgain() -> Int32? {
        guard let words = arguments.baseAddress else { return nil }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var child: pid_t = 0
        // Where /proc is not mounted, the file is found by the path that this process was started by.
        for path in [strdup("/proc/self/exe"), clm_program_path().flatMap { strdup($0) }] {
            defer { free(path) }
            if let path, posix_spawn(&child, path, nil, &attributes, words, environ) == 0 { return child }
        }
        return nil
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
    package static func text(_ path: UnsafePointer<CChar>, of source: String) throws(StorageError) -> String {
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

/// The three descriptors that every process begins with.
package enum StandardStreams {
    /// Opens those that the parent closed, on `/dev/null`.
    ///
    /// Otherwise the next file that is opened would get such a number, and messages would be written into it.
    package static func hold() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // Writes to standard output fail as they did before; writes to standard error are discarded.
            _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
