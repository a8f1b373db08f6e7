import StoryCore
import StoryWire
import TestSupport

/// The store's own descriptions of the built-in kinds.
enum DescribedKinds {
    /// The JSON of `MODELS NAME` for each kind.
    static let lines: [[UInt8]] = Catalogue.standard.kinds.map { kind in
        let line = ByteWriter.bytes { bytes in
            ReplyEncoder.standard.append(.line(kind.description(rows: 0, in: .standard)), tag: nil, to: &bytes)
        }
        return Array(line.dropFirst(2))
    }
}
