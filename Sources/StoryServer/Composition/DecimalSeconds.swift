/// Durations in seconds with up to three decimals, as settings have them.
enum DecimalSeconds {
    /// Parses a duration; nil where the text is malformed, or above `most` seconds.
    static func milliseconds(_ text: String, atMost most: Int) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 2, isDigits(whole), whole.count <= 9,
            let seconds = Int(whole)
        else { return nil }
        var thousandths = 0
        if parts.count == 2 {
            guard isDigits(parts[1]), parts[1].count <= 3 else { return nil }
            thousandths = Int(parts[1] + String(repeating: "0", count: 3 - parts[1].count)) ?? 0
        }
        let milliseconds = seconds * 1_000 + thousandths
        return milliseconds <= most * 1_000 ? milliseconds : nil
    }

    /// Formats a duration, without trailing zeros.
    static func text(milliseconds: Int) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        guard rest > 0 else { return "\(seconds)" }
        var digits = String(String(1_000 + rest).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(seconds).\(digits)"
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }
}
