/// Text that a process gets from the system: command-line arguments, variables, lines of files, names of directories.
///
/// Its bytes are kept or refused, never repaired, since a repaired path is another path.
package enum SystemText {
    /// Returns the bytes as text.
    ///
    /// - Parameter source: the option, variable or file that they come from, as the refusal names it.
    /// - Throws: `NotUTF8` where they are not UTF-8.
    package static func read(_ bytes: some Collection<UInt8>, of source: String) throws(NotUTF8) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw NotUTF8(source, bytes) }
        return text
    }

    /// Returns the bytes in readable form: each that is not printable ASCII as `\xHH`, cut at 200 bytes.
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

/// The error for bytes of the system that are not UTF-8, with their source.
package struct NotUTF8: Error, Equatable, CustomStringConvertible {
    /// The whole refusal: the source, the bytes and the remedy.
    package let description: String

    init(_ source: String, _ bytes: some Collection<UInt8>) {
        description = "\(source): \"\(SystemText.shown(bytes))\" is not UTF-8; give it in UTF-8"
    }
}
