import StoryCore
import StoryFind
import StoryLog
import StoryStorage

extension Finding {
    /// Returns the comparison of the index with the log, for another thread; nil where there is no index.
    func comparison() -> Jobs.Comparison? {
        guard isKept, let index, !isRemoving, let view = try? LogView(log) else { return nil }
        let last = index.position
        return { (mustEnd) throws(StorageError) in
            defer { view.close() }
            do throws(StorageError) {
                let alike = try WordComparison(of: index).run(with: view, through: last) { mustEnd.isSet }
                return [Member("words", .count(alike.value))]
            } catch {
                guard case .corrupt = error else { return [Member("wordsDiffer", .text("\(error)"))] }
                throw error
            }
        }
    }
}
