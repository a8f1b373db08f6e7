/// The high-water mark of the memory that connections used, which tells when to return freed memory to the system.
struct ConnectionMemory {
    /// The peak from which on memory is returned, in bytes; less is kept for later connections.
    private static let kept = 16 << 20

    /// The most memory that connections used since it was last returned, in bytes.
    private var most = 0

    /// Updates the peak with the bytes that connections use now.
    mutating func saw(_ bytes: Int) { most = max(most, bytes) }

    /// Returns true, once, where half of the peak or more is free again; `held`: the bytes that connections use now.
    mutating func isMostFree(beside held: Int) -> Bool {
        saw(held)
        guard most >= ConnectionMemory.kept, held <= most / 2 else { return false }
        most = held
        return true
    }
}
