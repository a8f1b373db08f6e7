/// One member of a JSON object. What it holds is good for as long as whoever read it lends it.
package struct JSONMember {
    /// What a member holds.
    package enum Value {
        case null
        case boolean(Bool)
        /// A number without fraction or exponent that fits.
        case integer(Int64)
        /// Any other number; always finite.
        case number(Double)
        /// The characters, escapes resolved, well-formed UTF-8.
        case string(UnsafeRawBufferPointer)
        /// An object's text as it came, braces included.
        case object(UnsafeRawBufferPointer)
        /// An array's text as it came, brackets included.
        case array(UnsafeRawBufferPointer)
    }

    /// The characters of the name, escapes resolved.
    package let name: UnsafeRawBufferPointer
    package let value: Value

    package init(name: UnsafeRawBufferPointer, value: Value) {
        self.name = name
        self.value = value
    }
}

/// What reads JSON where it lies.
package protocol JSONReading: AnyObject {
    /// Lends the members of an object, in the order of the text.
    ///
    /// - Parameter readable: how many bytes from the text's start on may be read, the text itself among them.
    /// - Returns: nil when the text is no valid JSON object.
    func withObject<Result>(
        _ text: UnsafeRawBufferPointer, readable: Int, _ body: (UnsafeBufferPointer<JSONMember>) -> Result
    ) -> Result?
}
