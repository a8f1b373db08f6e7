extension Identifier {
    /// Returns the ID that the store gives to content created at a position: short, and sorted by position.
    ///
    /// It is the position in base 36 after a letter that says how many digits follow. A client may have chosen the same
    /// ID, so `~` is appended until `isTaken` returns false or the ID has 64 bytes.
    package static func given(at position: Position, isTaken: (Identifier) -> Bool) -> Identifier {
        var digits: [UInt8] = []
        var rest = position.value
        repeat {
            let digit = UInt8(rest % 36)
            digits.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
            rest /= 36
        } while rest > 0
        var bytes = [UInt8(0x60 + digits.count)] + digits.reversed()
        while isTaken(Identifier(trusted: bytes)), bytes.count < Identifier.length.upperBound { bytes.append(0x7E) }
        return Identifier(trusted: bytes)
    }
}
