/// An offset from UTC: `+09:00`.
package struct ZoneOffset: Hashable, BitwiseCopyable, Sendable {
    /// The minutes east of UTC.
    package let minutes: Int64

    /// Creates the offset of a text; nil where it is none.
    package init?(_ text: Text) {
        let bytes = text.bytes
        guard bytes.count == 6, bytes[3] == 0x3A, bytes[0] == 0x2B || bytes[0] == 0x2D,
            let hours = ZoneOffset.number(bytes[1], bytes[2]), let minutes = ZoneOffset.number(bytes[4], bytes[5]),
            hours < 24, minutes < 60
        else { return nil }
        self.minutes = (bytes[0] == 0x2D ? -1 : 1) * (hours * 60 + minutes)
    }

    private static func number(_ tens: UInt8, _ ones: UInt8) -> Int64? {
        guard 0x30...0x39 ~= tens, 0x30...0x39 ~= ones else { return nil }
        return Int64(tens - 0x30) * 10 + Int64(ones - 0x30)
    }
}
