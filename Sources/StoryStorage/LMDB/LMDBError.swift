import CLMDB
import Glibc
package import StoryCore

/// Conversion of the codes of LMDB and the system into storage errors.
package enum LMDBError {
    /// Returns the error for a code of LMDB, or for an errno; `doing` ends the sentence "… while".
    package static func from(_ code: Int32, _ doing: @autoclosure () -> String) -> StorageError {
        let sentence = "\(text(code)) while \(doing())"
        switch code {
        case ENOSPC, EDQUOT, EFBIG, MDB_MAP_FULL, MDB_TXN_FULL:
            return .full(sentence)
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_VERSION_MISMATCH:
            return .corrupt(sentence, at: nil)
        default:
            return .failed(sentence)
        }
    }

    /// Throws unless the code is success.
    @inline(__always)
    package static func check(_ code: Int32, _ doing: @autoclosure () -> String) throws(StorageError) {
        if code != MDB_SUCCESS { throw from(code, doing()) }
    }

    static func text(_ code: Int32) -> String {
        guard let text = mdb_strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }
}
