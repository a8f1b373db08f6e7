import CXXHash
import TestSupport

extension Image {
    /// Of all names and all bytes.
    var hash: UInt64 {
        var hash = UInt64(folders.count)
        func add(_ bytes: [UInt8]) {
            hash = bytes.withUnsafeBytes { XXH3_64bits_withSeed($0.baseAddress, $0.count, hash) }
        }
        for folder in folders { add(Array(folder.utf8)) }
        for (path, bytes) in files {
            add(Array(path.utf8))
            add(bytes)
        }
        return hash
    }
}
