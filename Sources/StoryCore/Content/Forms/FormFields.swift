/// The members of a form's JSON object, as the line has them.
package typealias FormFields = [JSONMember]

extension JSONMember: Equatable, @unchecked Sendable {
    package static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.name.elementsEqual(right.name) && left.value == right.value
    }
}

// Unchecked: nobody changes the bytes while they are lent.
extension JSONMember.Value: Equatable, @unchecked Sendable {
    package static func == (left: JSONMember.Value, right: JSONMember.Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)), (.object(let left), .object(let right)),
            (.array(let left), .array(let right)):
            left.elementsEqual(right)
        case (.null, _), (.boolean, _), (.integer, _), (.number, _), (.string, _), (.object, _), (.array, _): false
        }
    }
}
