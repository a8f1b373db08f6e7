/// A client of a Storykeep whose last reply is kept as text.
final class TextDialect: Dialect {
    static let isGreeted = true
    /// The last line but the rows before it.
    private(set) var reply = ""
    private var line: [UInt8] = []

    func ask(_ work: Work, _ number: Int, _ line: inout RequestText) { line.put("PING\n") }

    func hear(_ bytes: UnsafeRawBufferPointer, _ heard: inout Heard) {
        for byte in bytes {
            guard byte == 0x0A else {
                line.append(byte)
                continue
            }
            if line.first == 0x2B || line.first == 0x2D {
                heard.answers += 1
                heard.failures += line.first == 0x2D ? 1 : 0
                reply = String(decoding: line, as: UTF8.self)
            }
            line.removeAll(keepingCapacity: true)
        }
    }
}

extension Link {
    /// The reply to a line, of a client whose replies are kept.
    func reply(to line: String) -> String {
        _ = ask(line)
        return (dialect as? TextDialect)?.reply ?? ""
    }
}

/// Members of a line of JSON, found by their names.
enum Member {
    /// The first number behind the words, as in `"commits":{"count":`.
    static func number(_ words: String, of line: String) -> Int? {
        rest(words, of: line).flatMap { Int($0.prefix { $0.isNumber }) }
    }

    /// The first text behind the words, as in `"state":`.
    static func text(_ words: String, of line: String) -> String? {
        guard let rest = rest(words, of: line), rest.first == "\"" else { return nil }
        return String(rest.dropFirst().prefix { $0 != "\"" })
    }

    private static func rest(_ words: String, of line: String) -> Substring? {
        line.firstRange(of: words).map { line[$0.upperBound...] }
    }
}
