/// One member of a JSON object. Its bytes are valid until the closure of `withObject` returns.
package struct JSONMember {
    /// The value of a member.
    package enum Value {
        case null
        case boolean(Bool)
        /// A number without fraction or exponent that fits 64 bits.
        case integer(Int64)
        /// Any other number; always finite.
        case number(Double)
        /// The characters, escapes resolved, well-formed UTF-8.
        case string(UnsafeRawBufferPointer)
        /// The text of an object, unchanged, with its braces.
        case object(UnsafeRawBufferPointer)
        /// The text of an array, unchanged, with its brackets.
        case array(UnsafeRawBufferPointer)
    }

    /// The characters of the name, escapes resolved.
    package let name: UnsafeRawBufferPointer
    /// The value of the member.
    package let value: Value

    /// Creates a member.
    package init(name: UnsafeRawBufferPointer, value: Value) {
        self.name = name
        self.value = value
    }
}

/// A reader of JSON objects that parses them without copying the text.
package protocol JSONReading: AnyObject {
    /// Calls `body` with the members of an object, in the order of the text; they are valid until it returns.
    ///
    /// - Parameter readable: the number of bytes from the text's start that may be read, the text itself among them.
    /// - Returns: nil when the text is no valid JSON object.
    func withObject<Result>(
        _ text: UnsafeRawBufferPointer, readable: Int, _ body: (UnsafeBufferPointer<JSONMember>) -> Result
    ) -> Result?
}
