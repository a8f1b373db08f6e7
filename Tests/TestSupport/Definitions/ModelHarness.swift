package import StoryCore
package import StoryFold
import StoryWire

/// A model in memory whose events are of type A of the stream a-1, one after another.
package final class ModelHarness {
    /// The model.
    package let model: MemoryModel
    private let reader = ProgramEventReader()
    private let paths: EventPaths
    private var position = Position.zero

    /// Creates the model of a definition.
    package init(_ text: String) throws(DefinitionFaults) {
        model = MemoryModel(try Definition.read(text))
        paths = EventPaths([model.definition.program])
    }

    /// Folds an event.
    package func fold(
        _ data: String, meta: String = "", tags: String = "", stream: String = "a-1", type: String = "A"
    ) {
        position = position.next
        let texts = [data, meta, tags, stream, type].map { Array($0.utf8) }
        texts[0].withUnsafeBytes { data in
            texts[1].withUnsafeBytes { meta in
                texts[2].withUnsafeBytes { tags in
                    reader.read(ProgramEventReader.Parts(data: data, meta: meta, tags: tags), paths)
                    texts[3].withUnsafeBytes { stream in
                        texts[4].withUnsafeBytes { type in model.fold(event(stream, type)) }
                    }
                }
            }
        }
    }

    private func event(_ stream: UnsafeRawBufferPointer, _ type: UnsafeRawBufferPointer) -> ProgramEvent {
        ProgramEvent(
            stream: stream, categoryCount: stream.firstIndex(of: 0x2D) ?? stream.count, type: type, position: position,
            version: Version(position.value), time: Instant(milliseconds: 1_795_132_800_000), by: 1_000,
            values: paths.values(of: 0))
    }

    /// The rows as JSON, in the order in which they were made.
    package var rows: [String] { model.rows.map { model.json($0) } }

    /// The newest misfits: position, line and rule.
    package var misfits: [String] {
        model.misfits.map { "\($0.position.value):\($0.misfit.line):\($0.misfit.rule.rawValue)" }
    }
}
