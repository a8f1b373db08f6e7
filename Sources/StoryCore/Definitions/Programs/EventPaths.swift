/// A path into an event's data, meta or tags: `data.customer.name`. The paths of several programs can be one trie.
package struct EventPath: Hashable, Sendable {
    /// One member name of a path.
    package struct Step: Hashable, Sendable {
        /// The name of the member.
        package let name: Text
        /// True for `['name']`, which does not look into an array, where `.name` finds nothing.
        package let isBracketed: Bool
    }

    /// The part of the event in which the path begins.
    package let root: EventRoot
    /// The names, the outermost first; none for the whole of it.
    package let steps: [Step]

    /// The path of the object that the last name is a member of; nil for a whole part of the event.
    package var parent: EventPath? { steps.isEmpty ? nil : EventPath(root: root, steps: steps.dropLast()) }
    /// The path as a definition has it: `data.customer.name`.
    package var spelling: String {
        steps.reduce(root == .tags ? "event.tags" : root.rawValue) {
            $1.isBracketed ? "\($0)['\($1.name)']" : "\($0).\($1.name)"
        }
    }
}

/// The paths of the programs that read one category, as one trie, and the values that an event has at them.
///
/// A reader walks an event's JSON and the trie once for all programs. One thread uses the values.
package final class EventPaths {
    /// A name of the trie.
    package struct Node: BitwiseCopyable {
        /// The name of the member; empty at a root.
        package let name: UnsafeRawBufferPointer
        /// True for `['name']`, which does not look into an array.
        package let isBracketed: Bool
        package let children: Range
        /// The values of programs that the value becomes.
        package let targets: Range
        /// True where the value is used as a whole, with all that is in it.
        package var isUsed: Bool { targets.count > 0 }
    }

    /// Consecutive nodes or targets.
    package struct Range: BitwiseCopyable {
        package let start: Int
        package let count: Int
    }

    /// The nodes; those of a node's children follow one another.
    package let nodes: UnsafeBufferPointer<Node>
    /// The root of each part of the event; nil where no program looks into it.
    package let data: Int?
    package let meta: Int?
    package let tags: Int?

    private let values: UnsafeMutablePointer<EventValue>
    private let valueCount: Int
    /// The targets of the nodes, as indexes of `values`.
    private let targets: UnsafeBufferPointer<Int>
    private let starts: [Int]
    private let memory = FixedMemory()

    /// Creates the trie of programs.
    package convenience init(_ programs: [Program]) { self.init(programs.map(\.paths)) }

    /// Creates the trie of the paths of several users, each of which has its own values.
    package init(_ users: [[EventPath]]) {
        var builder = TrieBuilder()
        var starts: [Int] = []
        var count = 0
        for paths in users {
            starts.append(count)
            for path in paths {
                builder.add(path, target: count)
                count += 1
            }
        }
        self.starts = starts
        valueCount = count
        values = .allocate(capacity: max(count, 1))
        values.initialize(repeating: .null, count: max(count, 1))
        let table = builder.table(in: memory)
        nodes = memory.table(table.nodes)
        targets = memory.table(table.targets)
        (data, meta, tags) = (builder.root(.data), builder.root(.meta), builder.root(.tags))
    }

    deinit { values.deallocate() }

    /// Returns the values of a program, by the numbers of its paths.
    ///
    /// - Parameter program: its index among those of the initializer.
    package func values(of program: Int) -> UnsafePointer<EventValue> { UnsafePointer(values + starts[program]) }

    /// Begins with an event that has no value at any path.
    package func clear() { values.update(repeating: .null, count: valueCount) }

    /// Sets the value at a node.
    package func set(_ node: Node, _ value: EventValue) {
        let last = node.targets.start + node.targets.count
        for index in node.targets.start..<last { values[targets[index]] = value }
    }

    /// Sets the reason why there are no values below a node whose value is no object.
    package func setAbsent(below node: Node, _ value: EventValue) {
        for index in node.children.start..<node.children.start + node.children.count {
            let child = nodes[index]
            let behind = EventValue.behind(value, isBracketed: child.isBracketed)
            set(child, behind)
            setAbsent(below: child, behind)
        }
    }
}

/// A trie while paths are added to it.
private struct TrieBuilder {
    private struct Branch {
        let step: EventPath.Step?
        var children: [Int] = []
        var targets: [Int] = []
    }

    private var branches: [Branch] = []
    private var roots: [EventRoot: Int] = [:]
    /// The numbers of the branches in the table.
    private var numbers: [Int] = []

    mutating func add(_ path: EventPath, target: Int) {
        var branch = roots[path.root] ?? branches.count
        if branch == branches.count {
            roots[path.root] = branch
            branches.append(Branch(step: nil))
        }
        for step in path.steps {
            if let child = branches[branch].children.first(where: { branches[$0].step == step }) {
                branch = child
            } else {
                branches.append(Branch(step: step))
                branches[branch].children.append(branches.count - 1)
                branch = branches.count - 1
            }
        }
        branches[branch].targets.append(target)
    }

    /// Returns the nodes, the roots first and each node's children side by side, and the targets of all nodes.
    mutating func table(in memory: FixedMemory) -> (nodes: [EventPaths.Node], targets: [Int]) {
        var order = branches.indices.filter { branches[$0].step == nil }
        var (nodes, targets): ([EventPaths.Node], [Int]) = ([], [])
        numbers = Array(repeating: 0, count: branches.count)
        var next = 0
        while next < order.count {
            let branch = branches[order[next]]
            numbers[order[next]] = next
            nodes.append(
                EventPaths.Node(
                    name: branch.step.map { memory.bytes($0.name.bytes) } ?? .none,
                    isBracketed: branch.step?.isBracketed ?? false,
                    children: EventPaths.Range(start: order.count, count: branch.children.count),
                    targets: EventPaths.Range(start: targets.count, count: branch.targets.count)))
            order += branch.children
            targets += branch.targets
            next += 1
        }
        return (nodes, targets)
    }

    /// Returns the number of a root's node; nil where no path begins there.
    func root(_ root: EventRoot) -> Int? { roots[root].map { numbers[$0] } }
}
