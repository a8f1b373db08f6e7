import TestSupport
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
            (
                "\u{1B}q\u{1B}\u{1B}q\u{1B}日\u{1B}\u{1B}",
                [.alt("q"), .escape, .escape, .character("q"), .alt("日"), .escape, .escape]
            ),
            ("\u{1B}[1;3A\u{1B}\u{1B}[A\u{1B}\u{3}\u{1B}\r", [.up, .up, .control("c")]),
        ] as [(String, [Key])])
    func `what a terminal sends is keys`(sent: String, expected: [Key]) { expect(keys(sent) == expected) }

    @Test(arguments: [
        "\u{1B}[[A", "\u{1B}[[E", "\u{1B}[38;2;255;255;255;48;2m", "\u{1B}OP", "\u{1B}O2P", "\u{1B}[15~",
        "\u{1B}[97;5u",
        "\u{1B}[27;5;106~", "\u{1B}[I", "\u{1B}[?62;1;6c", "\u{1B}[>0;276;0c", "\u{1B}[?2004;1$y", "\u{1B}[<0;10;20M",
        "\u{1B}[M !!", "\u{1B}[5$", "\u{1B}[5^", "\u{1B}]11;rgb:00/00/00\u{1B}\\", "\u{1B}]11;rgb:00/00\u{7}",
        "\u{1B}P>|xterm(390)\u{1B}\\", "\u{1B}_Gi=1;OK\u{1B}\\", "\u{1B}[57399;1:3u", "\u{1B}[1;5P", "\u{1B}[13;2~",
    ])
    func `a sequence that is no known key is passed over whole`(sequence: String) {
        expect(keys(sequence + "x") == [.character("x")])
        var decoder = KeyDecoder()
        expect(sequence.utf8.flatMap { decoder.keys([$0]) } + decoder.keys("x".utf8) == [.character("x")])
    }

    @Test func `a beginning that nothing follows is dropped, and the next key is read`() {
        for beginning in ["\u{1B}[", "\u{1B}[1;", "\u{1B}O", "\u{1B}P", "\u{1B}]", "\u{1B}[M", "\u{1B}[["] {
            expect(keys(beginning).isEmpty)
            var decoder = KeyDecoder()
            expect(decoder.keys(beginning.utf8).isEmpty && decoder.isWaiting)
            expect(decoder.flush().isEmpty && decoder.keys("yd".utf8) == [.character("y"), .character("d")])
        }
    }

    @Test func `pasted text is one text, whatever it has in it and however it comes`() {
        let sent = "\u{1B}[200~d\rand y\r\n\t日\u{1B}[A\u{3}\u{1B}[201~x"
        let expected: [Key] = [.pasted("d\nand y\n\t日\u{1B}[A\u{3}"), .character("x")]
        expect(keys(sent) == expected)
        var decoder = KeyDecoder()
        var keys: [Key] = []
        for byte in sent.utf8 {
            keys += decoder.keys([byte])
            // The pause between two reads ends no paste.
            if !decoder.isWaiting { keys += decoder.flush() }
        }
        expect(keys == expected)
    }

    @Test func `what is pasted and is no text, or too long, is told as such`() {
        var decoder = KeyDecoder()
        let (begin, end) = (Array("\u{1B}[200~".utf8), Array("\u{1B}[201~".utf8))
        expect(decoder.keys(begin + [0xFF] + end) == [.pasted(nil)])
        let most = [UInt8](repeating: 0x61, count: KeyDecoder.mostPasted)
        expect(decoder.keys(begin + most.dropLast() + end) == [.pasted(String(repeating: "a", count: most.count - 1))])
        expect(decoder.keys(begin + most + most + end + [0x62]) == [.pasted(nil), .character("b")])
    }

    @Test func `a key that comes byte by byte is one key`() {
        var decoder = KeyDecoder()
        let bytes = Array("語\u{1B}[6~x".utf8)
        var keys: [Key] = []
        for byte in bytes { keys += decoder.keys([byte]) }
        expect(keys == [.character("語"), .pageDown, .character("x")])
        expect(!decoder.isWaiting)
        expect(decoder.keys([0x1B]).isEmpty && decoder.isWaiting)
        expect(decoder.flush() == [.escape] && !decoder.isWaiting)
    }

    @Test func `what is no key is dropped, and the next key is read`() {
        let junk: [[UInt8]] = [
            [0xFF], [0xC0], [0xE3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x1B, 0x5B, 0x39, 0x39, 0x7E],
            [0x00], Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 40) + [0x7E],
        ]
        for bytes in junk {
            var decoder = KeyDecoder()
            let keys = decoder.keys(bytes) + decoder.keys("\rj".utf8)
            expect(keys.suffix(2) == [.enter, .character("j")], "\(bytes): \(keys)")
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
        expect(decoder.keys("q".utf8) == [.character("q")])
    }
}
