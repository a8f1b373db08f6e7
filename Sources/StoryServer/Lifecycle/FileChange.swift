import Glibc
import StoryNetwork

/// A look at the files of certificates, which notices that they have changed.
struct FileChange {
    let files: TLSFiles
    /// The version that was read last, and the one at the last look.
    private var (read, seen): ([Int], [Int])

    /// Begins with the present version.
    init(of files: TLSFiles) {
        self.files = files
        read = FileChange.version(of: files)
        seen = read
    }

    /// Returns true where the files have changed, and have not since the last call; called once a second.
    ///
    /// Certificate and key are two files: while only one of them is new, the old pair is used.
    mutating func isNew() -> Bool {
        let now = FileChange.version(of: files)
        defer { seen = now }
        guard now != read, now == seen else { return false }
        read = now
        return true
    }

    /// Returns the version of the files: their numbers, sizes and times.
    private static func version(of files: TLSFiles) -> [Int] {
        [files.certificate, files.key, files.authority].flatMap { path -> [Int] in
            var status = stat()
            guard let path, stat(path, &status) == 0 else { return [0] }
            return [
                Int(truncatingIfNeeded: status.st_ino), Int(status.st_size), status.st_mtim.tv_sec,
                status.st_mtim.tv_nsec,
            ]
        }
    }
}
