/// A first-in, first-out queue.
struct FIFO<Element> {
    private var elements: [Element] = []
    /// The number of leading elements that were already taken out.
    private var taken = 0

    var count: Int { elements.count - taken }

    /// The first element; nil when there is none.
    var first: Element? { count > 0 ? elements[taken] : nil }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Takes out the first element; nil when there is none.
    mutating func next() -> Element? {
        guard count > 0 else { return nil }
        let element = elements[taken]
        taken += 1
        // Compacts only when half is free, so that it moves no more elements than were taken out.
        if taken * 2 >= elements.count {
            elements.removeFirst(taken)
            taken = 0
        }
        return element
    }
}
