/// What waits, in the order in which it came: first in, first out.
struct FIFO<Element> {
    private var elements: [Element] = []
    /// How many of them are taken out already.
    private var taken = 0

    var count: Int { elements.count - taken }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Takes out the first one; nil when there is none.
    mutating func next() -> Element? {
        guard count > 0 else { return nil }
        let element = elements[taken]
        taken += 1
        // No more is moved to the front than was taken out since the last time.
        if taken * 2 >= elements.count {
            elements.removeFirst(taken)
            taken = 0
        }
        return element
    }
}
