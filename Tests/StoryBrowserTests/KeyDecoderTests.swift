import Testing

@testable import StoryBrowser

@Suite struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.keys(text.utf8) + decoder.flush()
    }

    @Test(
        arguments: [
            ("j/日é", [.character("j"), .character("/"), .character("日"), .character("é")]),
            ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
            ("\u{1B}OA\u{1B}OH\u{1B}[F", [.up, .home, .end]),
            (
                "\u{1B}[1~\u{1B}[3~\u{1B}[4~\u{1B}[5~\u{1B}[6~\u{1B}[7~\u{1B}[8~",
                [.home, .delete, .end, .pageUp, .pageDown, .home, .end]
            ),
            ("\u{1B}[1;5C\u{1B}[3;2~\u{1B}[Z", [.right, .delete, .backTab]),
            ("\r\t\u{7F}\u{8}", [.enter, .tab, .backspace, .backspace]),
            ("\u{3}\n\u{15}", [.control("c"), .control("j"), .control("u")]), ("\u{1B}", [.escape]),
            ("a\u{1B}", [.character("a"), .escape]), ("", []),
            ("\u{1B}q\u{1B}\u{1B}日", [.escape, .character("q"), .escape, .escape, .character("日")]),
        ] as [(String, [Key])])
    func `what a terminal sends is keys`(sent: String, expected: [Key]) { #expect(keys(sent) == expected) }

    @Test func `a key that comes byte by byte is one key`() {
        var decoder = KeyDecoder()
        let bytes = Array("語\u{1B}[6~x".utf8)
        var keys: [Key] = []
        for byte in bytes { keys += decoder.keys([byte]) }
        #expect(keys == [.character("語"), .pageDown, .character("x")])
        #expect(!decoder.isWaiting)
        #expect(decoder.keys([0x1B]).isEmpty && decoder.isWaiting)
        #expect(decoder.flush() == [.escape] && !decoder.isWaiting)
    }

    @Test func `what is no key is dropped, and the next key is read`() {
        let junk: [[UInt8]] = [
            [0xFF], [0xC0], [0xE3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x1B, 0x5B, 0x39, 0x39, 0x7E],
            [0x00], Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 40) + [0x7E],
        ]
        for bytes in junk {
            var decoder = KeyDecoder()
            let keys = decoder.keys(bytes) + decoder.keys("\rj".utf8)
            #expect(keys.suffix(2) == [.enter, .character("j")], "\(bytes): \(keys)")
        }
    }

    @Test func `any bytes are some keys or none`() {
        var random = SystemRandomNumberGenerator()
        var decoder = KeyDecoder()
        for _ in 0..<20_000 {
            _ = decoder.keys([UInt8.random(in: 0...255, using: &random)])
            if UInt8.random(in: 0...9, using: &random) == 0 { _ = decoder.flush() }
        }
        _ = decoder.flush()
        #expect(decoder.keys("q".utf8) == [.character("q")])
    }
}
