import CSimdJSON
import StoryCore

extension UnsafeRawBufferPointer {
    /// The greatest depth of nested arrays and objects in these bytes, which are a JSON value.
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

    /// Returns the bytes of a range, which must be within bounds.
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }

    /// Returns whether the length is in the range and each byte is of the ID alphabet.
    @inline(__always)
    func spellsName(_ length: ClosedRange<Int>) -> Bool {
        length.contains(count) && csj_spells_name(baseAddress, count)
    }

    /// Returns the index of the first such byte; nil if there is none.
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
