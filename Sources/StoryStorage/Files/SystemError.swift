import Glibc
package import StoryCore

/// Conversion of an errno into a sentence or an error.
package enum SystemError {
    /// Returns the sentence for an errno.
    package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Returns the error for an errno; `doing` ends the sentence "… while".
    package static func from(_ code: Int32, _ doing: String) -> StorageError {
        let sentence = "\(text(code)) while \(doing)"
        switch code {
        case ENOSPC, EDQUOT, EFBIG: return .full(sentence)
        default: return .failed(sentence)
        }
    }

    /// Returns true for the errno of an allocation of file space without which the file must not be written through a
    /// map; others say that the file system allocates nothing ahead.
    static func isRefusal(ofSpace code: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG, EIO].contains(code) }
}
