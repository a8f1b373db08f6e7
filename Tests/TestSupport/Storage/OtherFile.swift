import Glibc

/// Puts another file behind a descriptor for a while: `/dev/full` is a disk without room, and on `/dev/null` every
/// write succeeds and every sync fails.
package enum OtherFile {
    /// Does something while the other file is there.
    package static func with<Value>(_ path: String, behind descriptor: Int32, _ body: () throws -> Value) rethrows
        -> Value
    {
        let kept = dup(descriptor)
        let other = open(path, path.hasPrefix("/dev") ? O_RDWR : O_RDONLY)
        dup2(other, descriptor)
        close(other)
        defer {
            dup2(kept, descriptor)
            close(kept)
        }
        return try body()
    }
}
