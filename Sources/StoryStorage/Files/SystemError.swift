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
}
