package import StoryCore

extension StorageError {
    /// Its sentence.
    package var text: String {
        switch self {
        case .full(let text), .failed(let text), .held(let text): text
        case .corrupt(let text, _): text
        }
    }

    /// Whether it is a corruption.
    package var isCorrupt: Bool {
        if case .corrupt = self { true } else { false }
    }

    /// The position that a corruption names.
    package var position: Position? {
        if case .corrupt(_, let position) = self { position } else { nil }
    }
}

/// What a body throws; nil when it does not.
package func failure<Result: ~Copyable>(of body: () throws(StorageError) -> Result) -> StorageError? {
    do throws(StorageError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
