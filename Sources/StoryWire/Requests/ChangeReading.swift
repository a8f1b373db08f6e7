import StoryCore

/// Reading of `CLUSTER promote NODE` and `CLUSTER remove NODE`.
extension RequestReader {
    /// Takes the node behind the name of the change, which is the target.
    func takeNode(_ shape: RequestShape, _ parts: inout LineParts) throws(Failure) {
        guard let name = parts.target?.text else { return }
        guard NodeChange(named: name, of: "") != nil else { throw Refusals.target(name, NodeChange.names, shape) }
        parts.cursor.skipSpaces()
        let start = parts.cursor.index
        let node = parts.cursor.takeWord().text
        guard node.count > 0 else { throw Refusals.syntax("the node is missing: \(shape.usage)", at: start) }
        parts.targetName = node
    }

    func change(_ parts: inout LineParts) throws(Failure) -> NodeChange? {
        guard let name = parts.target?.text else { return nil }
        return NodeChange(named: name, of: Refusals.echo(try parts.known(parts.targetName)))
    }
}

extension NodeChange {
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
