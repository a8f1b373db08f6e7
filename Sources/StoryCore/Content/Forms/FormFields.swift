/// The members of a form's JSON object, in the order of the line.
package typealias FormFields = [JSONMember]

extension JSONMember: Equatable, @unchecked Sendable {
    package static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.name.equals(right.name) && left.value == right.value
    }
}

// Unchecked: the bytes do not change while the view is valid.
extension JSONMember.Value: Equatable, @unchecked Sendable {
    package static func == (left: JSONMember.Value, right: JSONMember.Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)), (.object(let left), .object(let right)),
            (.array(let left), .array(let right)):
            left.equals(right)
        case (.null, _), (.boolean, _), (.integer, _), (.number, _), (.string, _), (.object, _), (.array, _): false
        }
    }
}
