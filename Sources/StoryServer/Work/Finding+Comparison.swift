import StoryCore
import StoryFind
import StoryLog
import StoryStorage

extension Finding {
    /// Returns the comparison of the index with the log, for another thread; nil where there is no index.
    ///
    /// - Parameter stored: the last stored event, through which the index is folded first.
    func comparison(through stored: Position) -> Jobs.Comparison? {
        guard isKept, let index, !isRemoving, let view = try? LogView(log) else { return nil }
        return { (mustEnd) throws(StorageError) in
            defer { view.close() }
            // An index that cannot be folded now is a condition of its own.
            guard (try? index.fold(view, through: stored) { mustEnd.isSet }) != nil else { return [] }
            do throws(StorageError) {
                let alike = try WordComparison(of: index).run(with: view, through: stored) { mustEnd.isSet }
                return [Member("words", .count(alike.value))]
            } catch {
                guard case .corrupt = error else { return [Member("wordsDiffer", .text("\(error)"))] }
                throw error
            }
        }
    }
}
