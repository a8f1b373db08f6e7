import StoryCore
import TestSupport
import Testing

@Suite struct SystemTextTests {
    @Test func `bytes of the system are kept as they are`() throws {
        expect(try SystemText.read("é 🍎\u{1B}\n".utf8, of: "HOME") == "é 🍎\u{1B}\n")
    }

    @Test(arguments: [
        ([0x63, 0xE9], #"HOME: "c\xe9" is not UTF-8"#), ([0xED, 0xA0, 0x80], #"HOME: "\xed\xa0\x80" is not UTF-8"#),
        ([0xC3], #"HOME: "\xc3" is not UTF-8"#), ([0x22, 0x5C, 0x1B, 0xFF], #"HOME: "\"\\\x1b\xff" is not UTF-8"#),
    ])
    func `what is not UTF-8 is refused, and spelled out`(bytes: [UInt8], message: String) {
        do throws(NotUTF8) {
            _ = try SystemText.read(bytes, of: "HOME")
            Issue.record("it was taken")
        } catch {
            expect(error.description.hasPrefix(message), "\(error)")
        }
    }

    @Test func `what is shown is short`() {
        expect(SystemText.shown([UInt8](repeating: 0x61, count: 1_000)) == String(repeating: "a", count: 200) + "…")
    }
}
