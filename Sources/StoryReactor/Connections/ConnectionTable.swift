/// A table of the connections by ID: the low bits of an ID are a slot in an array, the others count the IDs so far.
struct ConnectionTable {
    private static let slotBits: UInt64 = 20
    private static let slotMask: UInt64 = (1 << slotBits) - 1

    private var slots: [SocketConnection?] = []
    private var free: [Int] = []
    private var given: UInt64 = 0

    /// The connection with an ID; nil if it is gone.
    subscript(id: ConnectionID) -> SocketConnection? {
        let slot = slot(of: id)
        guard slot < slots.count, let connection = slots[slot], connection.id == id else { return nil }
        return connection
    }

    /// Reserves a slot and returns an ID that was never used before; nil if every slot is in use.
    mutating func reserve() -> ConnectionID? {
        if free.isEmpty {
            guard slots.count < Int(ConnectionTable.slotMask) else { return nil }
            free.append(slots.count)
            slots.append(nil)
        }
        guard let slot = free.popLast() else { return nil }
        given += 1
        return ConnectionID(given << ConnectionTable.slotBits | UInt64(slot))
    }

    /// Puts the connection in its ID's slot.
    mutating func insert(_ connection: SocketConnection) { slots[slot(of: connection.id)] = connection }

    /// Frees the slot of an ID.
    mutating func release(_ id: ConnectionID) {
        slots[slot(of: id)] = nil
        free.append(slot(of: id))
    }

    /// Calls the body with each connection.
    func forEach(_ body: (SocketConnection) -> Void) {
        for case let connection? in slots { body(connection) }
    }

    private func slot(of id: ConnectionID) -> Int {
        Int(truncatingIfNeeded: id.value & ConnectionTable.slotMask)
    }
}
