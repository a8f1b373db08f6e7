/// Text that the system handed to a process: words of its command line, variables, lines of files, names of folders.
///
/// Its bytes are kept or refused, never repaired: a repaired path is the path of something else.
package enum SystemText {
    /// The bytes as text.
    ///
    /// - Parameter source: the option, variable or file that they come from, as the refusal names it.
    /// - Throws: `NotUTF8` where they are not UTF-8.
    package static func read(_ bytes: some Collection<UInt8>, of source: String) throws(NotUTF8) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw NotUTF8(source, bytes) }
        return text
    }

    /// The bytes as a person can read them: each that is no printable ASCII character as `\xHH`, cut at 200 bytes.
    package static func shown(_ bytes: some Collection<UInt8>) -> String {
        var text = ""
        for byte in bytes.prefix(200) {
            switch byte {
            case 0x22, 0x5C: text += "\\" + String(UnicodeScalar(byte))
            case 0x20...0x7E: text += String(UnicodeScalar(byte))
            default: text += "\\x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text + (bytes.count > 200 ? "…" : "")
    }
}

/// Bytes of the system that are not UTF-8, and where they come from.
package struct NotUTF8: Error, Equatable, CustomStringConvertible {
    /// The whole refusal: the source, the bytes and the remedy.
    package let description: String

    init(_ source: String, _ bytes: some Collection<UInt8>) {
        description = "\(source): \"\(SystemText.shown(bytes))\" is not UTF-8; give it in UTF-8"
    }
}
