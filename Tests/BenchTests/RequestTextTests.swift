import Foundation
import TestSupport
import Testing

@testable import storebench

@Suite struct RequestTextTests {
    @Test(arguments: [0, 7, 9, 10, 11, 99, 100, 12_345, 999_999, 1_000_000, 1_700_000_000_000, Int.max / 10, Int.max])
    func `A number is written in decimal digits`(number: Int) {
        expect(written { $0.put(number) } == "\(number)")
    }

    @Test func `Digits are written in hexadecimal, with zeros before them`() {
        for digits in 1...8 {
            for bits: UInt64 in [0, 1, 9, 10, 15, 0x9A0F_B1C2, 0xFEDC_BA98, 0x1_0203_0405, UInt64.max] {
                let last = bits & (digits == 8 ? 0xFFFF_FFFF : (1 << (4 * UInt64(digits))) - 1)
                let text = String(last, radix: 16)
                let expected = String(repeating: "0", count: digits - text.count) + text
                expect(written { $0.putHex(bits, digits: digits) } == expected)
            }
        }
    }

    @Test func `More is written than there was room for`() {
        let text = written { text in
            for number in 0..<5_000 {
                text.put(number)
                text.put(",")
            }
            text.put(0x78, times: 100_000)
            text.put(text: "ä")
            text.put(Array("end".utf8))
        }
        let numbers = (0..<5_000).map { "\($0)," }.joined()
        expect(text == numbers + String(repeating: "x", count: 100_000) + "äend")
    }

    @Test func `What was sent is forgotten, and the rest stays`() {
        var text = RequestText()
        text.put("PING\nHELLO\n")
        text.removeFirst(5)
        text.put("PING\n")
        expect(String(decoding: text.bytes, as: UTF8.self) == "HELLO\nPING\n")
        text.removeAll()
        expect(text.isEmpty && text.bytes.isEmpty)
    }

    private func written(_ write: (inout RequestText) -> Void) -> String {
        var text = RequestText()
        write(&text)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
