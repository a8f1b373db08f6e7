/// A reader of tokens. A scalar that is in no token is a fault, and reading goes on after it.
struct Lexer {
    /// The faults of tokens, and those that the readers of grammar add.
    var faults: [DefinitionFault] = []

    private let scalars: [Unicode.Scalar]
    /// The index of the next scalar. It may be one past the end, behind a backslash that ends the text.
    private var index = 0
    private var line = 1
    /// The index of the line's first scalar.
    private var lineStart = 0
    /// The open brackets, the innermost one last.
    private var open: [Mark] = []
    /// The kind of the newest token; nil at the start.
    private var last: Token.Kind?

    /// Creates a reader of a text.
    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func report(_ rule: DefinitionRule, at position: SourcePosition, _ sentence: String) {
        faults.append(DefinitionFault(position: position, rule: rule, sentence: sentence))
    }

    /// Reads the next token.
    mutating func next() -> Token {
        while true {
            let before = here
            if skipBlanks(), endsStatement { return made(.lineEnd, at: before) }
            let start = here
            guard let scalar = scalar(at: index) else { return made(.endOfText, at: start) }
            if let token = token(at: start, startingWith: scalar) { return token }
            index += 1
            report(.malformed, at: start.position, "\(Lexer.quoted(scalar)) means nothing here")
        }
    }

    /// Reads a token that begins with a scalar; nil where no token does.
    private mutating func token(at start: Start, startingWith scalar: Unicode.Scalar) -> Token? {
        switch scalar {
        case "A"..."Z", "a"..."z":
            skip { $0.isLetter || $0.isDigit || $0 == "_" }
            return made(.name, text(from: start.index), at: start)
        case "0"..."9":
            skipNumber()
            return made(.number, text(from: start.index), at: start)
        case "'", "\"":
            let text = readText(quote: scalar, start.position)
            return made(.text, text, at: start)
        case ";":
            index += 1
            return made(.semicolon, at: start)
        default:
            guard let mark = mark else { return nil }
            index += mark.count
            if mark.opens { open.append(mark) }
            if mark.closes { _ = open.popLast() }
            return made(.mark(mark), at: start)
        }
    }

    private mutating func made(_ kind: Token.Kind, _ spelling: String = "", at start: Start) -> Token {
        last = kind
        return Token(kind: kind, spelling: spelling, position: start.position, start: start.index)
    }

    /// True where a line's end that was just skipped ends a statement.
    private var endsStatement: Bool {
        switch last {
        case nil, .lineEnd?, .semicolon?: return false
        case .mark(let mark)? where mark.continuesLine: return false
        case .name?, .number?, .text?, .mark?, .endOfText?: break
        }
        if open.last?.ignoresLines == true { return false }
        return mark?.continuesLineBefore != true
    }

    private var mark: Mark? { scalar(at: index).flatMap { Mark($0, scalar(at: index + 1)) } }

    private typealias Start = (position: SourcePosition, index: Int)

    private var here: Start { (SourcePosition(line: line, column: index - lineStart + 1), index) }
}

extension Lexer {
    /// Closes the parentheses and square brackets that a fault left open.
    mutating func closeParentheses() {
        while open.last?.ignoresLines == true { open.removeLast() }
    }

    /// Reads a category or a type again from the start of a token, since it may have dots and dashes; nil where the
    /// token begins none. The next token follows the word.
    mutating func rereadWord(_ token: Token) -> String? {
        switch token.kind {
        case .name, .number, .mark(.dot), .mark(.minus): break
        case .text, .mark, .lineEnd, .semicolon, .endOfText: return nil
        }
        index = token.start
        skip(\.isWordScalar)
        last = .name
        return text(from: token.start)
    }

    /// Skips white space and comments; returns true where a line ended.
    private mutating func skipBlanks() -> Bool {
        var isLineEnded = false
        while let scalar = scalar(at: index) {
            switch scalar {
            case "\n":
                isLineEnded = true
                line += 1
                index += 1
                lineStart = index
            case " ", "\t", "\r": index += 1
            case "/" where self.scalar(at: index + 1) == "/": skip { $0 != "\n" }
            default: return isLineEnded
            }
        }
        return isLineEnded
    }

    private mutating func skip(_ isSkipped: (Unicode.Scalar) -> Bool) {
        while let scalar = scalar(at: index), isSkipped(scalar) { index += 1 }
    }

    private mutating func skipNumber() {
        skip(\.isDigit)
        if scalar(at: index) == ".", scalar(at: index + 1)?.isDigit == true {
            index += 1
            skip(\.isDigit)
        }
        guard let exponent = scalar(at: index), exponent == "e" || exponent == "E" else { return }
        let sign = scalar(at: index + 1)
        let digits = index + (sign == "+" || sign == "-" ? 2 : 1)
        guard scalar(at: digits)?.isDigit == true else { return }
        index = digits
        skip(\.isDigit)
    }

    private func text(from start: Int) -> String { String(String.UnicodeScalarView(scalars[start..<index])) }

    private func scalar(at index: Int) -> Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }
}

extension Lexer {
    /// Reads a text with its quotes, and resolves its escapes.
    private mutating func readText(quote: Unicode.Scalar, _ position: SourcePosition) -> String {
        var text = String.UnicodeScalarView()
        index += 1
        while let scalar = scalar(at: index), scalar != quote, scalar != "\n" {
            index += 1
            if scalar == "\\" {
                if let resolved = readEscape(position) { text.append(resolved) }
                continue
            }
            if scalar.value < 32 || scalar.value == 127 {
                report(
                    .malformed, at: position,
                    #"a text holds no control characters; \n, \t and \u{…} are written for them"#)
            }
            text.append(scalar)
        }
        if scalar(at: index) == quote {
            index += 1
        } else {
            report(.malformed, at: position, "the text does not end in its line")
        }
        return String(text)
    }

    /// Reads the rest of an escape behind its backslash; nil at the end of the text.
    private mutating func readEscape(_ position: SourcePosition) -> Unicode.Scalar? {
        let escaped = scalar(at: index)
        index += 1
        switch escaped {
        case "n"?: return "\n"
        case "t"?: return "\t"
        case "\\"?, "'"?, "\""?: return escaped
        case "u"?:
            if let scalar = readScalarNumber() { return scalar }
        default: break
        }
        report(.malformed, at: position, #"after \ come n, t, \, ', " or u{…}"#)
        return escaped
    }

    /// Reads `{1F600}`; nil, and nothing is read, where there is no number of a Unicode scalar.
    private mutating func readScalarNumber() -> Unicode.Scalar? {
        guard scalar(at: index) == "{" else { return nil }
        var (end, number) = (index + 1, UInt32(0))
        while let digit = scalar(at: end)?.hexadecimalDigit, end - index <= 6 {
            number = number * 16 + digit
            end += 1
        }
        guard end > index + 1, scalar(at: end) == "}", let scalar = Unicode.Scalar(number) else { return nil }
        index = end + 1
        return scalar
    }

    /// Returns a scalar as faults show it: in quotes, and by its number where it cannot be seen or looks like another one.
    private static func quoted(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x5C: #"'\\'"#
        case 0..<0x20, 0x7F..<0xA0: #"'\x"# + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16) + "'"
        case ..<0x7F: "'\(scalar)'"
        case _ where scalar.isSeen: "'\(scalar)' (\(scalar.numberText))"
        default: scalar.numberText
        }
    }
}

extension Unicode.Scalar {
    /// The number as `U+00A0`.
    fileprivate var numberText: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// True for a scalar with a shape of its own: no space, no mark on another one, nothing that is not shown.
    fileprivate var isSeen: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol,
            .otherSymbol:
            !properties.isDefaultIgnorableCodePoint
        case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format, .surrogate, .privateUse,
            .unassigned, .nonspacingMark, .spacingMark, .enclosingMark:
            false
        @unknown default: false
        }
    }

    fileprivate var isDigit: Bool { "0"..."9" ~= self }
    fileprivate var isLetter: Bool { "A"..."Z" ~= self || "a"..."z" ~= self }

    /// True for the scalars of categories and types.
    var isWordScalar: Bool {
        isLetter || isDigit || self == "." || self == "_" || self == "~" || self == "-"
    }

    fileprivate var hexadecimalDigit: UInt32? {
        switch self {
        case "0"..."9": value - 0x30
        case "A"..."F": value - 0x41 + 10
        case "a"..."f": value - 0x61 + 10
        default: nil
        }
    }
}
