import StoryClient

extension Event {
    /// The data, a member a line; of an erased event `erased by P`, the position of the event that erased it.
    var dataLines: String { data.map { JSONLines.text(of: $0) } ?? eraser }

    private var eraser: String { erased.map { "erased by \($0)" } ?? "" }

    /// Returns the beginning of the data on one line; of an erased event `erased by P`.
    ///
    /// - Parameter limit: the maximum number of characters.
    func dataLine(upTo limit: Int) -> String { data.map { String($0.text.prefix(limit)) } ?? eraser }
}

/// Formatting of JSON for people: a member a line, every value as it was spelled.
struct JSONLines {
    private var bytes: [UInt8] = []
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// True behind an opening bracket, until it is known whether its list is empty.
    private var isOpened = false

    /// Returns the lines of a JSON text, indented by two spaces a level.
    static func text(of json: JSONText) -> String {
        var lines = JSONLines()
        for byte in json.text.utf8 { lines.consume(byte) }
        return String(decoding: lines.bytes, as: UTF8.self)
    }

    private mutating func consume(_ byte: UInt8) {
        guard !isInString else { return consumeInString(byte) }
        switch byte {
        case 0x20, 0x09: break
        case 0x7B, 0x5B:
            begin()
            bytes.append(byte)
            depth += 1
            isOpened = true
        case 0x7D, 0x5D:
            depth -= 1
            if !isOpened { breakLine() }
            isOpened = false
            bytes.append(byte)
        case 0x2C:
            bytes.append(byte)
            breakLine()
        case 0x3A: bytes += [byte, 0x20]
        default:
            begin()
            isInString = byte == 0x22
            bytes.append(byte)
        }
    }

    private mutating func consumeInString(_ byte: UInt8) {
        bytes.append(byte)
        if isEscaped {
            isEscaped = false
        } else if byte == 0x5C {
            isEscaped = true
        } else if byte == 0x22 {
            isInString = false
        }
    }

    /// Begins a value: the first one behind a bracket is on a line of its own.
    private mutating func begin() {
        if isOpened { breakLine() }
        isOpened = false
    }

    private mutating func breakLine() {
        bytes.append(0x0A)
        bytes += Array(repeating: 0x20, count: 2 * max(0, depth))
    }
}
