import Glibc

/// A folder of a test's own, removed with everything in it when the test lets go of it.
package final class TemporaryFolder {
    /// Where it is.
    package let path: String

    package init() {
        var template = Array("/tmp/storylog-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return "/tmp/storylog-none" }
            return String(cString: made)
        }
    }

    deinit { TemporaryFolder.remove(path) }

    /// A place in the folder where nothing is yet.
    package var store: String { path + "/store" }

    /// Removes a file, or a folder with everything in it.
    package static func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { remove(path + "/" + name) }
            }
            closedir(folder)
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}

/// A file as bytes, read and written whole.
package enum RawFile {
    /// All bytes of a file.
    package static func read(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(count, 0)))
    }

    /// Makes a file of these bytes.
    package static func write(_ bytes: [UInt8], _ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        pwrite(descriptor, bytes, bytes.count, 0)
        close(descriptor)
    }

    /// Changes one byte.
    package static func patch(_ path: String, at offset: Int, _ byte: UInt8) {
        let descriptor = open(path, O_WRONLY)
        var byte = byte
        pwrite(descriptor, &byte, 1, off_t(offset))
        close(descriptor)
    }

    /// How many bytes it has; -1 where there is none.
    package static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : -1
    }

    /// The permission bits; 0 where there is none.
    package static func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
}
