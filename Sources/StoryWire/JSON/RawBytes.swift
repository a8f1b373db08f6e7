import CSimdJSON

extension UnsafeRawBufferPointer {
    /// True when the bytes are these, one by one.
    @inline(__always)
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        guard let start = baseAddress else { return true }
        return csj_equal(start, text.utf8Start, count)
    }

    /// The part of the bytes at a range that lies within them.
    /// How many arrays and objects lie inside one another in these bytes, which are a JSON value.
    var levels: Int {
        var (depth, most, index) = (0, 0, 0)
        while index < count {
            switch self[index] {
            case 0x22:
                index += 1
                while index < count, self[index] != 0x22 { index += self[index] == 0x5C ? 2 : 1 }
            case 0x7B, 0x5B:
                depth += 1
                most = Swift.max(most, depth)
            case 0x7D, 0x5D: depth -= 1
            default: break
            }
            index += 1
        }
        return most
    }

    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }

    /// True when there are so many bytes and each is of the alphabet of IDs.
    @inline(__always)
    func spellsName(_ length: ClosedRange<Int>) -> Bool {
        length.contains(count) && csj_spells_name(baseAddress, count)
    }

    /// Where the first such byte stands; nil when there is none.
    @inline(__always)
    func first(_ byte: UInt8) -> Int? {
        let index = csj_find_byte(baseAddress, byte, count)
        return index < count ? index : nil
    }
}

extension [UInt8] {
    init(copying bytes: UnsafeRawBufferPointer) {
        self.init(UnsafeBufferPointer(start: bytes.bindMemory(to: UInt8.self).baseAddress, count: bytes.count))
    }
}
