import CLMDB

/// A database: one ordered map of an environment.
package struct Database: Sendable {
    /// The main database, which every environment has.
    package static let main = Database(handle: 1)

    let handle: MDB_dbi
}
