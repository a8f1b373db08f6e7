import CLMDB

/// One ordered map of an environment.
package struct Database: Sendable {
    /// The map that every environment has.
    package static let main = Database(handle: 1)

    let handle: MDB_dbi
}
