package import FoundationEssentials
import StoryClient

/// Text that is safe for a terminal.
package enum Shown {
    /// Returns the text on one line, without control characters that move the cursor or change colours.
    package static func safe(_ text: String) -> String {
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

    /// Returns the text without control characters, except line ends and tabs.
    package static func safe(lines text: String) -> String {
        func isUnsafe(_ scalar: Unicode.Scalar) -> Bool { scalar != "\n" && scalar != "\t" && isControl(scalar) }
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar) }
        return String(result)
    }

    /// Returns the width of the text in terminal columns.
    package static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

    /// Returns the text cut to a number of columns, with an ellipsis if it was cut.
    package static func cut(_ text: String, to limit: Int) -> String {
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

    /// Returns whether a character moves the cursor, changes the direction of writing, or is invisible.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x61C, 0x180E, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB:
            true
        default: false
        }
    }

    /// Returns two columns for wide East Asian letters and emoji, none for a combining mark alone, one for the rest.
    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case ..<0x300: return character.unicodeScalars.contains("\u{FE0F}") ? 2 : 1
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F200...0x1F265, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        case 0x2300...0x2BFF, 0x1F000...0x1F19A: return isWideSymbol(scalar.value) || isEmoji(character) ? 2 : 1
        case 0x1F1E6...0x1F1FF: return character.unicodeScalars.count > 1 ? 2 : 1
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isEmoji(character) ? 2 : 1
        }
    }

    /// Returns whether a variation selector asks for the emoji form of a character.
    private static func isEmoji(_ character: Character) -> Bool {
        character.unicodeScalars.dropFirst().contains("\u{FE0F}")
    }

    /// Returns whether a symbol is wide by itself (East Asian Width).
    private static func isWideSymbol(_ value: UInt32) -> Bool {
        switch value {
        case 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0, 0x23F3, 0x25FD...0x25FE, 0x2614...0x2615,
            0x2648...0x2653, 0x267F, 0x2693, 0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE, 0x26D4,
            0x26EA, 0x26F2...0x26F3, 0x26F5, 0x26FA, 0x26FD, 0x2705, 0x270A...0x270B, 0x2728, 0x274C, 0x274E,
            0x2753...0x2755, 0x2757, 0x2795...0x2797, 0x27B0, 0x27BF, 0x2B1B...0x2B1C, 0x2B50, 0x2B55, 0x1F004, 0x1F0CF,
            0x1F18E, 0x1F191...0x1F19A:
            true
        default: false
        }
    }
}

/// Wrapping of longer texts.
package enum Wrapping {
    /// Returns the lines of a text, broken at spaces if possible, each at most the given number of columns wide.
    ///
    /// - Parameter limit: the most lines to return.
    package static func lines(of text: String, columns: Int, limit: Int) -> [String] {
        var lines: [String] = []
        for paragraph in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            guard lines.count < limit else { break }
            add(paragraph, max(2, columns), limit, to: &lines)
        }
        return Array(lines.prefix(limit))
    }

    private static func add(_ paragraph: Substring, _ columns: Int, _ limit: Int, to lines: inout [String]) {
        var (line, width) = ("", 0)
        /// The line up to its last space, for a break there.
        var breaking: (line: String, rest: String, width: Int)?
        for character in Shown.safe(paragraph.replacing("\t", with: "    ").description) {
            let size = Shown.width(String(character))
            if width + size > columns {
                if let end = breaking, character != " " {
                    lines.append(end.line)
                    (line, width) = (end.rest, end.width)
                } else {
                    lines.append(line)
                    (line, width) = ("", 0)
                }
                breaking = nil
                guard lines.count < limit else { return }
                if character == " " && line.isEmpty { continue }
            }
            if character == " " {
                breaking = (line, "", 0)
            } else {
                breaking?.rest.append(character)
                breaking?.width += size
            }
            line.append(character)
            width += size
        }
        lines.append(line)
    }
}

/// Formatting of dates for people, in UTC.
package enum Moments {
    private static let shown = Date.ISO8601FormatStyle().year().month().day().dateSeparator(.dash)
        .dateTimeSeparator(.space).time(includingFractionalSeconds: false)

    /// Returns `2026-11-20 12:34:56`, which has 19 columns.
    package static func shown(_ date: Date) -> String { date.formatted(shown) }

    /// Returns the same with the zone, if no heading names it.
    static func told(_ date: Date) -> String { "\(shown(date)) UTC" }

    /// Returns `2026-11-20 12:34:56` for a time as the store writes it; another text as it is.
    static func shown(_ time: String) -> String {
        isTime(time) ? time.prefix(10) + " " + time.dropFirst(11).prefix(8) : time
    }

    /// Returns the same with the zone, and with the milliseconds if there are any.
    static func told(_ time: String) -> String {
        guard isTime(time) else { return time }
        let milliseconds = time.dropFirst(19).dropLast()
        return shown(time) + (milliseconds == ".000" ? "" : milliseconds) + " UTC"
    }

    private static func isTime(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count >= 20 && bytes[10] == 0x54 && bytes.last == 0x5A
    }

    /// Returns the millisecond behind a time as the store writes it; nil for another text.
    static func next(_ time: String) -> String? {
        TypedMoment.read(time, now: .distantPast).map { written($0.addingTimeInterval(0.001)) }
    }

    /// Returns a date to the millisecond, in a form that can be typed.
    static func written(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
