import CSimdJSON
import StoryCore

/// A check of a line's bytes before it is read: well-formed UTF-8, and no control bytes.
enum LineCheck {
    /// Returns whether `check` would not throw, without finding the reason.
    static func passes(_ line: UnsafeRawBufferPointer) -> Bool {
        csj_is_printable(line.baseAddress, line.count) || (!holdsControls(line) && JSONScanner.isUTF8(line))
    }

    /// Throws if the line has bytes that no request has.
    static func check(_ line: UnsafeRawBufferPointer) throws(Failure) {
        if csj_is_printable(line.baseAddress, line.count) { return }
        if holdsControls(line) { try refuseControls(line) }
        try refuseIllFormed(line)
    }

    /// Returns whether there is a control byte or DEL.
    private static func holdsControls(_ line: UnsafeRawBufferPointer) -> Bool {
        var controls = false
        // No early exit, so that the compiler can vectorize the loop.
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

    /// Returns the index of the first control byte; in a JSON body a tab is white space, and DEL is a character.
    private static func firstControl(_ line: UnsafeRawBufferPointer) -> Int? {
        let body = bodyStart(line)
        for index in 0..<line.count {
            let byte = line[index]
            let isAllowed = index >= body ? byte == 0x09 || byte >= 0x20 : byte >= 0x20 && byte != 0x7F
            if !isAllowed { return index }
        }
        return nil
    }

    /// Returns the index of the first part of the line that begins with `{` or `[`; the line's end if there is none.
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
