/// The memory that connections and declared models used and gave up, which tells when to return freed memory to the system.
struct FreedMemory {
    /// The peak of connections, and the sum of what models gave up, from which on memory is returned, in bytes; less is
    /// kept for later.
    private static let kept = 16 << 20

    /// The most memory that connections used since it was last returned, in bytes.
    private var most = 0
    /// The memory of memtables that were freed since then, in bytes.
    private var ofModels = 0

    /// Updates the peak with the bytes that connections use now.
    mutating func saw(_ bytes: Int) { most = max(most, bytes) }

    /// Counts bytes of memtables that were freed.
    mutating func modelsGaveUp(_ bytes: Int) { ofModels += bytes }

    /// Returns true, once, where half of the peak or more is free again, or much was freed by models; `held`: the bytes that
    /// connections use now.
    mutating func isMostFree(beside held: Int) -> Bool {
        saw(held)
        guard most >= FreedMemory.kept && held <= most / 2 || ofModels >= FreedMemory.kept else { return false }
        (most, ofModels) = (held, 0)
        return true
    }
}
