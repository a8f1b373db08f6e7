import StoryCore
import StoryFold
import StoryWire
import TestSupport

/// Texts of definitions and data of events: a text has faults or is a program, and a program over any event ends in changes
/// or a misfit, the same ones each time.
///
/// Of each input `the text of a definition · a zero byte · the data of events, each up to a zero byte`.
final class DefinitionTarget: FuzzTarget {
    private static let types = ["A", "B", "Placed", "ItemAdded", "Shipped", "Added", "Changed"].map(\.bytes)
    private static let streams = ["a-1", "order-7", "model-x", "cart-1-2", "x"].map(\.bytes)
    private static let data: [[UInt8]] = [
        [UInt8](FoldTarget.everything), #"{"a":[1,{"b":2}],"n":1e3,"t":"x","m":{"k":1}}"#.bytes, "[]".bytes,
    ]
    private let reader = ProgramEventReader()

    func run(_ bytes: UnsafeRawBufferPointer) {
        let parts = bytes.split(separator: 0, omittingEmptySubsequences: false).prefix(9).map { Array($0) }
        let text = String(decoding: parts.first ?? [], as: UTF8.self)
        let first = DefinitionTarget.read(text)
        hold(DefinitionTokens(text) == DefinitionTokens(text), "a text has the same tokens each time")
        guard case .success(let definition) = first else {
            if case .failure(let faults) = first { check(faults, text) }
            return
        }
        let (one, other) = (MemoryModel(definition), MemoryModel(definition))
        let paths = EventPaths([definition.program, definition.program])
        var position = Position.zero
        for data in DefinitionTarget.data + parts.dropFirst() {
            for (index, type) in DefinitionTarget.types.enumerated() {
                position = position.next
                let stream = DefinitionTarget.streams[index % DefinitionTarget.streams.count]
                withEvent(stream, type, data, position, paths) { event in
                    let (rows, misfits) = (one.rows.map(one.json), one.misfitCount)
                    one.fold(event)
                    hold(one.misfitCount == misfits || one.rows.map(one.json) == rows, "a misfit changes no row")
                    var again = event
                    again.values = paths.values(of: 1)
                    other.fold(again)
                }
            }
        }
        hold(one.rows.map(one.json) == other.rows.map(other.json), "a fold is the same each time")
        hold(one.notes == other.notes && one.misfitCount == other.misfitCount, "so are its notes and misfits")
        check(one)
    }

    private static func read(_ text: String) -> Result<Definition, DefinitionFaults> {
        Result { () throws(DefinitionFaults) in try Definition.read(text) }
    }

    private func check(_ faults: DefinitionFaults, _ text: String) {
        hold(!faults.faults.isEmpty, "a text without a program has faults")
        let lines = text.unicodeScalars.count { $0 == "\n" || $0 == "\r" } + 1
        for fault in faults.faults {
            hold(1...lines ~= fault.position.line && fault.position.column >= 1, "a fault is in the text")
        }
        for (left, right) in zip(faults.faults, faults.faults.dropFirst()) {
            hold(left.position <= right.position, "faults are in the order of the text")
        }
    }

    /// Rows keep the limits, and each is found under its key.
    private func check(_ model: MemoryModel) {
        let fields = model.definition.fields
        for row in model.rows {
            model.withValues(row) { values in
                var size = 0
                for (number, field) in fields.enumerated() where !values[number].isMissing {
                    size += values[number].size
                    if case .list(let list) = values[number] {
                        hold(1...field.type.count ~= list.count, "a list keeps its limit")
                    }
                }
                hold(size <= DefinitionLimits.rowSize, "a row keeps its size")
            }
            hold(1...(DefinitionLimits.key + 8) ~= row.key.count, "a key keeps its length")
        }
    }

    private func withEvent(
        _ stream: [UInt8], _ type: [UInt8], _ data: [UInt8], _ position: Position, _ paths: EventPaths,
        _ body: (ProgramEvent) -> Void
    ) {
        stream.withUnsafeBytes { stream in
            type.withUnsafeBytes { type in
                data.withUnsafeBytes { data in
                    reader.read(ProgramEventReader.Parts(data: data, meta: data), paths)
                    body(
                        ProgramEvent(
                            stream: stream, categoryCount: stream.firstIndex(of: 0x2D) ?? stream.count, type: type,
                            position: position, version: Version(1), time: Instant(milliseconds: 1_800_000_000_000),
                            by: nil, values: paths.values(of: 0)))
                }
            }
        }
    }
}
