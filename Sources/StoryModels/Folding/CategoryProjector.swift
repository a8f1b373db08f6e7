import StoryCore

/// Folds the events of a log in order into the positions of their categories, when the streams are folded apart.
package struct CategoryProjector: ~Copyable {
    private let target: SinkTarget
    private var key = KeyWriterOf(ScratchBytes())
    /// The newest entry of each category, by its number, and the position that it begins with.
    private var entries: [(first: UInt64, positions: KeyWriterOf<ScratchBytes>)]

    /// - Parameter categories: how many there are, numbered from 1 on.
    package init(_ sink: any EntrySink, categories: Int) {
        target = SinkTarget(sink: sink)
        entries = (0...categories).map { _ in (0, KeyWriterOf(ScratchBytes())) }
    }

    deinit {
        key.bytes.free()
        for entry in entries { entry.positions.bytes.free() }
    }

    /// The event at a position is of this category.
    package mutating func fold(_ position: UInt64, category: Int) {
        if entries[category].positions.bytes.count == 0 { entries[category].first = position }
        entries[category].positions.number(position)
        let full = Int(StreamsModel.chunk) * KeyWriter.numberCount
        if entries[category].positions.bytes.count == full { put(category) }
    }

    /// There are no more events.
    package mutating func end() {
        for category in entries.indices where entries[category].positions.bytes.count > 0 { put(category) }
    }

    private mutating func put(_ category: Int) {
        key.set(UInt64(category), entries[category].first)
        target.put(entries[category].positions.bytes, in: .categoryPositions, at: key.bytes)
        entries[category].positions.clear()
    }
}
