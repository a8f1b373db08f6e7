import StoryCore

/// The seal of a record: SHA-256 over the record and the seal before it, a hash chain that makes the history
/// tamper-evident.
///
/// It is a function of the events alone, so logs with the same records have the same seals wherever their blocks end.
package struct Seal: Equatable, Sendable {
    /// The size of a seal, in bytes.
    package static let size = 32

    /// The hash.
    package let bytes: [UInt8]

    /// Makes a seal of a hash.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The hash as 64 hexadecimal digits.
    package var text: String { String(decoding: bytes.hexadecimal, as: UTF8.self) }
}
