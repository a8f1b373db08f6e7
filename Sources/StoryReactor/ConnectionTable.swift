/// The connections by ID: an ID's low bits are a place in an array, the others count how often IDs were given.
struct ConnectionTable {
    private static let placeBits: UInt64 = 20
    private static let placeMask: UInt64 = (1 << placeBits) - 1

    private var places: [Connection?] = []
    private var free: [Int] = []
    private var given: UInt64 = 0

    /// How many connections there are.
    var count: Int { places.count - free.count }

    /// The connection, if it is still there.
    subscript(id: ConnectionID) -> Connection? {
        let place = Int(truncatingIfNeeded: id.value & ConnectionTable.placeMask)
        guard place < places.count, let connection = places[place], connection.id == id else { return nil }
        return connection
    }

    /// An ID that was never given before; nil when every place is taken.
    mutating func reserve() -> ConnectionID? {
        if free.isEmpty {
            guard places.count < Int(ConnectionTable.placeMask) else { return nil }
            free.append(places.count)
            places.append(nil)
        }
        guard let place = free.popLast() else { return nil }
        given += 1
        return ConnectionID(given << ConnectionTable.placeBits | UInt64(place))
    }

    /// Puts the connection at its ID's place.
    mutating func insert(_ connection: Connection) { places[place(of: connection.id)] = connection }

    /// Gives the ID's place back.
    mutating func release(_ id: ConnectionID) {
        places[place(of: id)] = nil
        free.append(place(of: id))
    }

    /// Calls the body with each connection.
    func forEach(_ body: (Connection) -> Void) {
        for case let connection? in places { body(connection) }
    }

    private func place(of id: ConnectionID) -> Int {
        Int(truncatingIfNeeded: id.value & ConnectionTable.placeMask)
    }
}
