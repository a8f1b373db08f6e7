/// A row as it is stored: an answer is written from its bytes, without the values that they stand for.
package struct RowRecord: Equatable, Sendable {
    package let kind: Kind
    package let number: StreamNumber
    package let bytes: [UInt8]

    package init(kind: Kind, number: StreamNumber, bytes: [UInt8]) {
        self.kind = kind
        self.number = number
        self.bytes = bytes
    }
}
