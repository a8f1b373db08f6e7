/// Text as a terminal may see it.
enum Shown {
    /// On one line, and without the control characters that would move the cursor or change colours.
    static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "⏎"
            case _ where isControl(scalar): result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// How many columns of a terminal the text takes.
    static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

    /// The text cut to so many columns, with a mark where it was.
    static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit, width(text) > limit else { return text }
        var result = ""
        var taken = 1
        for character in text {
            taken += width(character)
            if taken > limit { break }
            result.append(character)
        }
        return result + "…"
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
    }

    /// Two columns for the wide letters of East Asia and for emoji, one for the rest.
    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
