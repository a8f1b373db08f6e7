/// The events that declared models read: `bench/models` has the definitions.
extension StoreDialect {
    /// The number of events in the life of an order.
    static let orderEvents = 4
    private static let customers = 10_000
    private static let products = 1_000

    /// Of four events, one places an order, two add an item to orders that were placed lately, and one ships an order that
    /// was placed long ago. Each is of an order that every client's requests before have placed.
    func order(_ number: Int, _ line: inout RequestText) {
        let newest = number / StoreDialect.orderEvents
        switch number % StoreDialect.orderEvents {
        case 0: placed(newest, &line)
        case 3:
            let shipped = max(newest - max(stored.orders, 3_000), 0)
            event(number, "order-", shipped, "Shipped", &line) { $0.put("{\"carrier\":\"post\"}") }
        case let item:
            event(number, "order-", max(newest - 1_000 * item, 0), "ItemAdded", &line) { line in
                line.put("{\"price\":")
                line.put(1 + number % 97)
                line.put(".5}")
            }
        }
    }

    func placed(_ number: Int, _ line: inout RequestText) {
        event(number, "order-", number, "Placed", &line) { line in
            line.put("{\"customer\":\"c")
            line.put(Content.random(number, below: StoreDialect.customers))
            line.put("\",\"total\":")
            line.put(10 + number % 990)
            line.put(".25}")
        }
    }

    /// An order of ten products.
    func tenLines(_ number: Int, _ line: inout RequestText) {
        event(number, "order-", number, "Ordered", &line) { line in
            for index in 0..<10 {
                line.put(index == 0 ? "{\"lines\":[{\"product\":\"p" : ",{\"product\":\"p")
                // Ten others each time, in no order.
                line.put(Content.random(number, below: StoreDialect.products / 10) * 10 + index)
                line.put("\",\"quantity\":")
                line.put(1 + number % 9)
                line.put("}")
            }
            line.put("]}")
        }
    }

    /// The content of the story of the same number.
    func letter(_ number: Int, _ line: inout RequestText) {
        event(number, "letter-", number, "Written", &line) { line in
            line.put("{\"title\":\"Title ")
            line.put(Content.title(number))
            line.put("\",\"message\":\"")
            Content.fill(&line)
            line.put("\",\"sender\":\"u")
            line.put(Content.sender(number))
            line.put("\",\"recipient\":\"u")
            line.put(Content.recipient(number))
            line.put("\"}")
        }
    }

    /// 20 rows of one sender.
    func list20(_ work: Work, _ number: Int, _ line: inout RequestText) {
        line.put(work == .listLetters ? "LIST letters limit=20 sender=u" : "LIST stories limit=20 sender=u")
        line.put(Content.random(number, below: Content.users))
    }

    private func event(
        _ number: Int, _ category: StaticString, _ stream: Int, _ type: StaticString, _ line: inout RequestText,
        data: (inout RequestText) -> Void
    ) {
        line.put("APPEND ")
        line.put(category)
        line.put(stream)
        line.put(" {\"type\":\"")
        line.put(type)
        line.put("\",\"meta\":")
        Content.meta(number, &line)
        line.put(",\"data\":")
        data(&line)
        line.put("}")
    }
}
