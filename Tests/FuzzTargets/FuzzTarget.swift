/// One thing that is fuzzed: any bytes go in, and a property that does not hold ends the process.
package protocol FuzzTarget: AnyObject, SendableMetatype {
    init()

    /// Runs one input, which is lent.
    func run(_ bytes: UnsafeRawBufferPointer)
}

/// All that is fuzzed, by name.
package enum AllTargets {
    private static let all: [(name: String, type: any FuzzTarget.Type)] = [
        ("framing", FramingTarget.self), ("parser", ParserTarget.self), ("forms", FormsTarget.self),
        ("json", JSONTarget.self), ("eventlines", EventLineTarget.self), ("records", RecordTarget.self),
        ("blocks", BlockTarget.self), ("journal", JournalTarget.self), ("folds", FoldTarget.self),
        ("checkpoint", CheckpointTarget.self), ("stored", StoredTarget.self), ("definitions", DefinitionTarget.self),
        ("programs", ProgramTarget.self), ("source", SourceTarget.self), ("etcd", EtcdTarget.self),
        ("peer", PeerTarget.self), ("words", WordTarget.self),
    ]

    /// Each target's name, which its folder of the corpus has as well.
    package static var names: [String] { all.map(\.name) }

    /// A fresh target; nil where there is none of this name.
    package static func make(_ name: String) -> (any FuzzTarget)? { all.first { $0.name == name }?.type.init() }
}

/// Ends the process with a sentence where a property does not hold, in optimised code as well.
@inline(__always)
func hold(_ isHeld: Bool, _ what: @autoclosure () -> String) {
    if !isHeld { fatalError(what()) }
}
