/// Tells when memory that connections needed at one moment is to be given back to the system.
struct ConnectionMemory {
    /// Less than this is kept for the next connections, in bytes.
    private static let kept = 16 << 20

    /// The most bytes that connections were seen to hold since memory was given back.
    private var most = 0

    /// Connections hold at least so many bytes now.
    mutating func saw(_ bytes: Int) { most = max(most, bytes) }

    /// Connections hold so many bytes now; true where most of what they held before is free again. Told once.
    mutating func isMostFree(beside held: Int) -> Bool {
        saw(held)
        guard most >= ConnectionMemory.kept, held <= most / 2 else { return false }
        most = held
        return true
    }
}
