import StoryCore

/// Reading of `CLIENTS`, `CLIENTS NUMBER` and `CLIENTS end NUMBER`.
extension ClientsRequest {
    /// Takes the number behind the word `end`, where that is the target.
    static func takeNumber(_ shape: RequestShape, _ parts: inout LineParts) throws(Failure) {
        guard let word = parts.target?.text, word.equals("end") else { return }
        parts.cursor.skipSpaces()
        let start = parts.cursor.index
        let number = parts.cursor.takeWord().text
        guard number.count > 0 else {
            throw Refusals.syntax("the number of a client is missing: \(shape.usage)", at: start)
        }
        parts.targetName = number
    }

    /// Reads the number of a client or of a subscription.
    static func number(
        _ name: String, _ text: UnsafeRawBufferPointer, of example: String, _ parts: inout LineParts
    ) throws(Failure) -> UInt64 {
        switch DecimalNumber(text) {
        case .value(let number) where number > 0: return number
        case .value, .tooGreat, .negative: parts.reject(name, .outOfRange, "\(name)s count from 1")
        case .malformed: parts.reject(name, .malformed, "a \(name) is a number: \(example)")
        }
        throw Refusals.invalid(parts.errors)
    }

    /// Reads the connections that are meant.
    init(_ parts: inout LineParts) throws(Failure) {
        guard let target = parts.target?.text else {
            self = .all
            return
        }
        guard let ended = parts.targetName else {
            self = .one(try Self.number("client", target, of: "CLIENTS 7", &parts))
            return
        }
        self = .end(try Self.number("client", ended, of: "CLIENTS end 7", &parts))
    }
}

/// Reading of `CLUSTER promote NODE` and `CLUSTER remove NODE`.
extension NodeChange {
    /// Takes the node behind the name of the change, which is the target.
    static func takeNode(_ shape: RequestShape, _ parts: inout LineParts) throws(Failure) {
        guard let name = parts.target?.text else { return }
        guard NodeChange(named: name, of: "") != nil else { throw Refusals.target(name, NodeChange.names, shape) }
        parts.cursor.skipSpaces()
        let start = parts.cursor.index
        let node = parts.cursor.takeWord().text
        guard node.count > 0 else { throw Refusals.syntax("the node is missing: \(shape.usage)", at: start) }
        parts.targetName = node
    }

    /// Reads the change that is wanted; nil where none is.
    static func read(_ parts: inout LineParts) throws(Failure) -> NodeChange? {
        guard let name = parts.target?.text else { return nil }
        return NodeChange(named: name, of: Refusals.echo(try parts.known(parts.targetName)))
    }

    static let names = ["promote", "remove"]

    /// Makes the change with this name; nil where there is none.
    init?(named name: UnsafeRawBufferPointer, of node: String) {
        if name.equals("promote") {
            self = .promote(node)
        } else if name.equals("remove") {
            self = .remove(node)
        } else {
            return nil
        }
    }
}
