/// Durations in seconds with up to three decimals, as settings have them.
enum DecimalSeconds {
    /// Parses a duration; nil where the text is malformed, or above `most` seconds.
    static func milliseconds(_ text: String, atMost most: Int) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy(isDigits), parts[0].count <= 9, let seconds = Int(parts[0]) else {
            return nil
        }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.count <= 3, let thousandths = Int(decimals + String(repeating: "0", count: 3 - decimals.count))
        else { return nil }
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
