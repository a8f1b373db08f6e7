extension Array where Element: Equatable {
    /// The elements in their order, each where it comes first.
    package var distinct: [Element] {
        reduce(into: []) { found, element in
            if !found.contains(element) { found.append(element) }
        }
    }
}
