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

    /// The nodes; those of a node's children follow one another, in the order of their names.
    package let nodes: UnsafeBufferPointer<Node>
    /// The work of reading an event's bytes at most, each: the scan, and the search for the name of a member.
    private let workOfByte: Work
    /// The work of an event without bytes: its values are set at all paths.
    private let workOfValues: Work
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
        let most = table.nodes.reduce(0) { max($0, $1.children.count) }
        workOfByte = .scannedByte + (Int.bitWidth - most.leadingZeroBitCount) * .comparedByte
        workOfValues = (count + table.nodes.count) * .pathValue
    }

    /// Returns the work of reading an event, at most.
    ///
    /// - Parameter count: the number of its bytes.
    package func work(ofBytes count: Int) -> Work { workOfValues + count * workOfByte }

    /// Returns the first of a node's children with a name, and the end of those that have it: `.name` and `['name']`.
    @inline(__always)
    package func children(of node: Node, named name: UnsafeRawBufferPointer) -> Swift.Range<Int> {
        let last = node.children.start + node.children.count
        var (low, high) = (node.children.start, last)
        while low < high {
            let middle = low + (high - low) / 2
            if nodes[middle].name.compare(name) < 0 { low = middle + 1 } else { high = middle }
        }
        high = low
        while high < last, nodes[high].name.equals(name) { high += 1 }
        return low..<high
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
        var children: [EventPath.Step: Int] = [:]
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
            branches.append(Branch())
        }
        for step in path.steps {
            if let child = branches[branch].children[step] {
                branch = child
            } else {
                branches.append(Branch())
                branches[branch].children[step] = branches.count - 1
                branch = branches.count - 1
            }
        }
        branches[branch].targets.append(target)
    }

    /// Returns the nodes, the roots first and each node's children side by side, in the order of their names; and the
    /// targets of all nodes.
    mutating func table(in memory: FixedMemory) -> (nodes: [EventPaths.Node], targets: [Int]) {
        typealias Child = (branch: Int, name: UnsafeRawBufferPointer, isBracketed: Bool)
        var order: [Child] = roots.values.sorted().map { ($0, .none, false) }
        var (nodes, targets): ([EventPaths.Node], [Int]) = ([], [])
        numbers = Array(repeating: 0, count: branches.count)
        var next = 0
        while next < order.count {
            let (number, name, isBracketed) = order[next]
            let branch = branches[number]
            numbers[number] = next
            nodes.append(
                EventPaths.Node(
                    name: name, isBracketed: isBracketed,
                    children: EventPaths.Range(start: order.count, count: branch.children.count),
                    targets: EventPaths.Range(start: targets.count, count: branch.targets.count)))
            let children: [Child] = branch.children.map { step, child in
                (child, memory.bytes(step.name.bytes), step.isBracketed)
            }
            // By the bytes of the names, and `.name` before `['name']`.
            order += children.sorted { one, other in
                let order = one.name.compare(other.name)
                return order == 0 ? !one.isBracketed && other.isBracketed : order < 0
            }
            targets += branch.targets
            next += 1
        }
        return (nodes, targets)
    }

    /// Returns the number of a root's node; nil where no path begins there.
    func root(_ root: EventRoot) -> Int? { roots[root].map { numbers[$0] } }
}
