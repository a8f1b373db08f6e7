import StoryCore

/// What a line must look like: its text, and between `<` and `>` what may vary.
///
/// `<time>`, `<number>`, `<id>`, `<text>` (up to a quote) and `<rest>` (to the end) match what they say. `<id:a>` also
/// remembers what it matched, and `<=a>` stands for that, in patterns and in requests.
struct LinePattern {
    /// What was remembered, by name.
    typealias Memory = [String: [UInt8]]

    private let pieces: [Piece]

    private enum Piece {
        case literal([UInt8])
        case any(Class, name: String?)
        case remembered(String)
    }

    private enum Class: String {
        case time, number, id, text, rest

        /// How many of the first bytes belong to it; nil when none can.
        func length(_ bytes: ArraySlice<UInt8>) -> Int? {
            let count =
                switch self {
                case .time: Instant(String(decoding: bytes.prefix(24), as: UTF8.self)) == nil ? 0 : 24
                case .number: bytes.prefix { (0x30...0x39).contains($0) }.count
                case .id: bytes.prefix(while: Alphabet.holds).count
                case .text: LinePattern.textLength(bytes)
                case .rest: bytes.count
                }
            return count > 0 ? count : nil
        }
    }

    init(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            pieces.append(.literal(Array(rest[..<open].utf8)))
            pieces.append(LinePattern.piece(rest[rest.index(after: open)..<close]))
            rest = rest[rest.index(after: close)...]
        }
        self.pieces = pieces + [.literal(Array(rest.utf8))]
    }

    /// True when the whole line looks like this.
    func matches(_ line: String, _ memory: inout Memory) -> Bool {
        var bytes = Array(line.utf8)[...]
        for piece in pieces {
            guard let count = length(piece, bytes, memory) else { return false }
            if case .any(_, let name?) = piece { memory[name] = Array(bytes.prefix(count)) }
            bytes = bytes.dropFirst(count)
        }
        return bytes.isEmpty
    }

    /// A request in which what was remembered is filled in.
    static func filled(_ request: String, _ memory: Memory) -> String {
        memory.reduce(request) { text, entry in
            text.split(separator: "<=\(entry.key)>", omittingEmptySubsequences: false)
                .joined(separator: String(decoding: entry.value, as: UTF8.self))
        }
    }

    private static func piece(_ text: Substring) -> Piece {
        if text.hasPrefix("=") { return .remembered(String(text.dropFirst())) }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard let name = parts.first, let kind = Class(rawValue: name) else {
            preconditionFailure("<\(text)> is no part of a pattern")
        }
        return .any(kind, name: parts.count == 2 ? parts[1] : nil)
    }

    private func length(_ piece: Piece, _ bytes: ArraySlice<UInt8>, _ memory: Memory) -> Int? {
        switch piece {
        case .literal(let text): bytes.starts(with: text) ? text.count : nil
        case .any(let kind, _): kind.length(bytes)
        case .remembered(let name): memory[name].flatMap { bytes.starts(with: $0) ? $0.count : nil }
        }
    }

    /// Up to a quote that no backslash stands before.
    private static func textLength(_ bytes: ArraySlice<UInt8>) -> Int {
        var isEscaped = false
        var count = 0
        for byte in bytes {
            if byte == UInt8(ascii: "\""), !isEscaped { return count }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            count += 1
        }
        return count
    }
}
