/// The own seals at the last multiples of positions at which nodes tell theirs, as `POSITION:SEAL`.
struct OwnSeals: Equatable {
    private static let most = 64
    private var seals: [String] = []

    mutating func add(_ seal: String) {
        guard seals.last != seal else { return }
        seals.append(seal)
        if seals.count > OwnSeals.most { seals.removeFirst() }
    }

    /// Returns the position at which another node has another seal; nil where it has the same, or this node none.
    func difference(from other: String) -> String? {
        guard let end = other.firstIndex(of: ":"), let own = seals.last(where: { $0.hasPrefix(other[...end]) }),
            own != other
        else { return nil }
        return String(other[..<end])
    }
}
