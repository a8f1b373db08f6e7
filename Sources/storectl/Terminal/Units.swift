/// The formatting of figures in readable units.
enum Units {
    private static let sizes = ["B", "KiB", "MiB", "GiB", "TiB"]

    /// Returns `11.4 MiB` for a number of bytes.
    static func bytes(_ count: UInt64) -> String {
        var (size, unit) = (Double(count), 0)
        while size >= 1_024, unit < sizes.count - 1 { (size, unit) = (size / 1_024, unit + 1) }
        return unit == 0 ? "\(count) B" : "\(figures(size)) \(sizes[unit])"
    }

    /// Returns `0.46 ms` for microseconds.
    static func latency(microseconds: Double) -> String {
        if microseconds < 100 { return "\(figures(microseconds)) µs" }
        if microseconds < 10_000_000 { return "\(figures(microseconds / 1_000)) ms" }
        return "\(figures(microseconds / 1_000_000)) s"
    }

    /// Returns `3 h 12 min` for seconds: the greatest unit and the next one.
    static func time(seconds: Double) -> String {
        let whole = UInt64(max(0, min(seconds, 1e12)))
        let parts = [
            (whole / 86_400, "d"), (whole / 3_600 % 24, "h"), (whole / 60 % 60, "min"), (whole % 60, "s"),
        ]
        guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return "0 s" }
        return parts[first...].prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }

    /// Formats a number with two decimals below ten, one below a hundred, else none.
    private static func figures(_ value: Double) -> String {
        let value = max(0, min(value, 1e15))
        let decimals = value < 9.995 ? 100 : value < 99.95 ? 10 : 1
        let scaled = UInt64((value * Double(decimals)).rounded())
        guard decimals > 1 else { return "\(scaled)" }
        let fraction = String(scaled % UInt64(decimals))
        let zeros = String(repeating: "0", count: (decimals == 100 ? 2 : 1) - fraction.count)
        return "\(scaled / UInt64(decimals)).\(zeros)\(fraction)"
    }
}

/// Numbers with commas between their groups of digits.
enum Grouped {
    /// Returns `12,204` for 12204.
    static func text(_ number: UInt64) -> String {
        let digits = Array(String(number))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// Returns a number with its noun: `1 case`, `2 cases`.
    static func count(_ number: Int, _ noun: String) -> String { count(UInt64(max(0, number)), noun) }

    /// Returns a number with its noun, as `count` of an integer does.
    static func count(_ number: UInt64, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(text(number)) \(noun)\(noun.hasSuffix("x") ? "es" : "s")"
    }
}
