/// The version of the stored models.
package enum ModelVersion {
    /// Incremented with every change of a fold, a table, a key or a row's record; stored models of another version are
    /// folded again from the start.
    package static let current: UInt32 = 7
    /// The same for the stored models that programs are folded into.
    package static let ofPrograms: UInt32 = 3
}
