package import Glibc
package import StoryCore

/// A file with several owners; it is closed when the last one is released.
package final class SharedFile: Sendable {
    /// The open file.
    package let handle: FileHandle

    /// Opens a file; `flags` are those of `open`.
    ///
    /// - Throws: when the system refuses.
    package init(_ path: String, _ flags: Int32) throws(StorageError) { handle = try FileHandle(path, flags) }
}

/// A file descriptor that is closed with its owner, and is not inherited by child processes.
package struct FileHandle: ~Copyable {
    /// The number of the descriptor.
    package let descriptor: Int32

    /// Opens a file; `flags` and `mode` are those of `open`. Throws when the system refuses.
    package init(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(StorageError) {
        try self.init(opened: open(path, flags | O_CLOEXEC, mode), path)
    }

    /// Takes over the result of `open`; throws when it is an error.
    init(opened descriptor: Int32, _ path: String) throws(StorageError) {
        guard descriptor >= 0 else { throw SystemError.from(errno, "opening \(path)") }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Writes all the bytes from an offset on.
    package func write(_ bytes: [UInt8], at offset: Int = 0, to path: String) throws(StorageError) {
        try bytes.withBytes { (bytes) throws(StorageError) in try write(bytes, at: offset, to: path) }
    }

    /// Writes all the bytes from an offset on.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, to path: String) throws(StorageError) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            // A disk with longer sectors refuses the direct write, so the page cache is used from now on.
            if count < 0, errno == EINVAL, isDirect, setDirect(false) { continue }
            guard count > 0 else { throw SystemError.from(errno, "writing \(path)") }
            done += count
        }
    }

    /// Reads up to `limit` bytes from an offset on; fewer at the end of the file.
    package func read(_ limit: Int, at offset: Int, of path: String) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let result = bytes.withUnsafeMutableBytes { target in
            Result { () throws(StorageError) in try read(into: target, at: offset, of: path) }
        }
        return Array(bytes.prefix(try result.get()))
    }

    /// Reads bytes from an offset on into memory; returns their number, which is less at the end of the file.
    package func read(
        into target: UnsafeMutableRawBufferPointer, at offset: Int, of path: String
    ) throws(StorageError) -> Int {
        var (done, hasFailed) = (0, false)
        while done < target.count {
            let count = pread(
                descriptor, target.baseAddress?.advanced(by: done), target.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            // Bytes that the disk cannot read are damage, like bytes that it reads wrong; one that fails once may be busy.
            if count < 0, errno == EIO, !hasFailed {
                hasFailed = true
                continue
            }
            if count < 0, errno == EIO { throw .corrupt("\(path) cannot be read at byte \(offset + done)", at: nil) }
            guard count >= 0 else { throw SystemError.from(errno, "reading \(path)") }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Reads likewise, with zeros for each sector of 512 bytes that the disk cannot read.
    package func readGood(into target: UnsafeMutableRawBufferPointer, at offset: Int, of path: String) -> Int {
        var done = 0
        while done < target.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[done...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            if count > 0 {
                done += count
            } else if count == 0 {
                break
            } else if errno != EINTR {
                let sector = min(512 - (offset + done) % 512, rest.count)
                for index in 0..<sector { rest[index] = 0 }
                done += sector
            }
        }
        return done
    }

    /// True when reads and writes bypass the system's cache (`O_DIRECT`).
    ///
    /// They must be of whole sectors then, in memory that begins at a multiple of a page.
    private var isDirect: Bool { fcntl(descriptor, F_GETFL) & __O_DIRECT != 0 }

    /// Turns `O_DIRECT` on or off; false when the file system does not support it.
    @discardableResult
    package func setDirect(_ isDirect: Bool) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0 else { return false }
        return fcntl(descriptor, F_SETFL, isDirect ? flags | __O_DIRECT : flags & ~__O_DIRECT) == 0
    }

    /// Fills the file with zeros and makes that durable.
    ///
    /// - Throws: when the system refuses.
    package func zero(_ path: String) throws(StorageError) {
        let (size, piece) = (try size(path), 1 << 20)
        let zeros = [UInt8](repeating: 0, count: min(size, piece))
        for start in stride(from: 0, to: size, by: piece) {
            try zeros.withBytes { (zeros) throws(StorageError) in
                try write(zeros.slice(0, count: min(piece, size - start)), at: start, to: path)
            }
        }
        try sync(path)
    }

    /// Makes all earlier writes durable.
    package func sync(_ path: String) throws(StorageError) {
        guard fsync(descriptor) == 0 else { throw SystemError.from(errno, "syncing \(path)") }
    }

    /// Returns the status of the file, such as its owner and mode.
    package func status(_ path: String) throws(StorageError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError.from(errno, "looking at \(path)") }
        return status
    }
}
