import CSimdJSON
import StoryCore

/// Tests the bytes of a line before it is read: well-formed UTF-8, and no control bytes.
enum LineCheck {
    /// True where `check` has nothing to say, found without a word about what is wrong.
    static func passes(_ line: UnsafeRawBufferPointer) -> Bool {
        csj_is_printable(line.baseAddress, line.count) || (!holdsControls(line) && JSONScanner.isUTF8(line))
    }

    /// Throws where the line has bytes that no request has.
    static func check(_ line: UnsafeRawBufferPointer) throws(Failure) {
        if csj_is_printable(line.baseAddress, line.count) { return }
        if holdsControls(line) { try refuseControls(line) }
        try refuseIllFormed(line)
    }

    /// True where there is a control byte, DEL being one.
    private static func holdsControls(_ line: UnsafeRawBufferPointer) -> Bool {
        var controls = false
        // No early way out: so the compiler may test many bytes at once.
        for byte in line { controls = controls || byte < 0x20 || byte == 0x7F }
        return controls
    }

    private static func refuseControls(_ line: UnsafeRawBufferPointer) throws(Failure) {
        if let index = line.first(0x0D) {
            throw Refusals.syntax("the line has a CR: end lines with LF alone", at: index)
        }
        if let index = firstControl(line) { throw Refusals.syntax("the line has a control byte", at: index) }
    }

    private static func refuseIllFormed(_ line: UnsafeRawBufferPointer) throws(Failure) {
        if line.count >= 3, line.part(0..<3).equals("\u{FEFF}") {
            throw Refusals.syntax("the line begins with a byte order mark: remove it", at: 0)
        }
        guard JSONScanner.isUTF8(line) else {
            throw Refusals.syntax("the line is not UTF-8", at: firstIllFormed(line))
        }
    }

    /// The first control byte; in a JSON body a tab is white space, and DEL is a character.
    private static func firstControl(_ line: UnsafeRawBufferPointer) -> Int? {
        let body = bodyStart(line)
        for index in 0..<line.count {
            let byte = line[index]
            let isAllowed = index >= body ? byte == 0x09 || byte >= 0x20 : byte >= 0x20 && byte != 0x7F
            if !isAllowed { return index }
        }
        return nil
    }

    /// Where a part of the line begins with `{` or `[`; the line's end where none does.
    private static func bodyStart(_ line: UnsafeRawBufferPointer) -> Int {
        var cursor = LineCursor(line)
        while !cursor.isAtEnd {
            cursor.skipSpaces()
            if cursor.isAtBody { return cursor.index }
            _ = cursor.takeOptionName()
            if cursor.isAtQuote, (try? cursor.takeQuoted()) != nil { continue }
            _ = cursor.takeWord()
        }
        return line.count
    }

    private static func firstIllFormed(_ line: UnsafeRawBufferPointer) -> Int {
        do {
            _ = try UTF8Span(validating: line.bindMemory(to: UInt8.self).span)
            return 0
        } catch {
            return error.byteOffsets.lowerBound
        }
    }
}
