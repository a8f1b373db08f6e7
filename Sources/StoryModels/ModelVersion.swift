/// The version of what is stored.
package enum ModelVersion {
    /// Counted up with every change of a fold, a table, a key or a row's record: stored models of another version are
    /// folded anew.
    package static let current: UInt32 = 4
}
