import Glibc
package import StoryCore

/// What the system refused, as a sentence and as an error.
package enum SystemError {
    /// The sentence of an errno.
    package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// The error behind an errno; `doing` ends the sentence "… while".
    package static func from(_ code: Int32, _ doing: String) -> StorageError {
        let sentence = "\(text(code)) while \(doing)"
        switch code {
        case ENOSPC, EDQUOT, EFBIG: return .full(sentence)
        default: return .failed(sentence)
        }
    }
}
