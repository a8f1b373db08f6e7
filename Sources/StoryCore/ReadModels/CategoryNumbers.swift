/// The numbers of the categories that were met last, so that folding does not look one up for each event.
final class CategoryNumbers {
    private static let kept = 8

    private var recent: [(name: [UInt8], number: UInt64)] = []

    /// The number of the stream's category; `find` is asked where it is not among the last ones.
    func number(of stream: StreamName, find: () -> UInt64) -> UInt64 {
        for entry in recent where entry.name.count == stream.categoryCount {
            if stream.bytes.starts(with: entry.name) { return entry.number }
        }
        let number = find()
        if recent.count == CategoryNumbers.kept { recent.removeFirst() }
        recent.append((stream.category.bytes, number))
        return number
    }
}
