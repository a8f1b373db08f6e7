/// A JSON value of an event's data, meta or tags, or the reason why there is none at a path.
///
/// It owns nothing: it is a view of the memory of the event's reader. Numbers keep their text until they are used.
package enum EventValue: BitwiseCopyable {
    case absent(MisfitRule)
    case null
    case boolean(Bool)
    /// The token of a number.
    case number(UnsafeRawBufferPointer)
    /// Well-formed UTF-8, escapes resolved.
    case text(UnsafeRawBufferPointer)
    case array(EventArray)
    case object(EventObject)

    /// True for a value that is there, and is not null.
    package var isThere: Bool {
        switch self {
        case .absent, .null: false
        case .boolean, .number, .text, .array, .object: true
        }
    }

    /// Returns the result of a step into a value that is no object.
    ///
    /// - Parameter isBracketed: true for `['name']`, which does not look into an array, where `.name` finds nothing.
    package static func behind(_ value: EventValue, isBracketed: Bool) -> EventValue {
        switch value {
        case .absent(let rule): .absent(rule)
        case .number: .absent(ModelValue(value).absence?.reason ?? .missing)
        case .array: .absent(isBracketed ? .wrongType : .missing)
        case .null, .boolean, .text, .object: .absent(.missing)
        }
    }
}

/// A member of an object, or an element of an array, whose name is empty.
package struct EventNode: BitwiseCopyable {
    /// The name, escapes resolved.
    package var name: UnsafeRawBufferPointer
    package var value: EventValue

    /// Creates a member or an element.
    package init(name: UnsafeRawBufferPointer = .none, value: EventValue) {
        self.name = name
        self.value = value
    }
}

/// The elements of a JSON array.
package struct EventArray: BitwiseCopyable {
    private let elements: UnsafeBufferPointer<EventNode>

    /// Creates a view of elements.
    package init(_ elements: UnsafeBufferPointer<EventNode>) { self.elements = elements }

    /// The number of elements.
    package var count: Int { elements.count }

    /// The element at an index, which is within the array.
    package subscript(index: Int) -> EventValue { elements[index].value }
}

/// The members of a JSON object, in the order of their names' bytes, each name once.
package struct EventObject: BitwiseCopyable {
    package let members: UnsafeBufferPointer<EventNode>

    /// Creates a view of members.
    ///
    /// - Parameter members: sorted, without repetitions.
    package init(_ members: UnsafeBufferPointer<EventNode>) { self.members = members }

    /// The value of a name; nil where there is none.
    package subscript(name: UnsafeRawBufferPointer) -> EventValue? {
        var (low, high) = (0, members.count)
        while high - low > 8 {
            let middle = (low + high) / 2
            if name.compare(members[middle].name) < 0 { high = middle } else { low = middle }
        }
        for index in low..<high where members[index].name.equals(name) {
            return members[index].value
        }
        return nil
    }
}
