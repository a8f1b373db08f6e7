extension Array where Element: Equatable {
    /// The elements in order without repetitions, each at its first occurrence.
    package var distinct: [Element] {
        reduce(into: []) { found, element in
            if !found.contains(element) { found.append(element) }
        }
    }
}
