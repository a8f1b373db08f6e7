import Foundation
import TestSupport

@testable import StoryBrowser
@testable import StoryClient

/// Declared models and events for tests, as the store would send them.
extension Fixtures {
    static let orders = """
        from order
        customer: text
        total: number = 0
        placed: time
        carrier: text?
        sort total
        on Placed { customer = data.customer; total = data.total; placed = event.time }
        """

    /// A line of `MODELS orders`.
    static func model(
        _ text: String = orders, definition: Int = 1, state: String = "ready", rows: Int = 2, misfits: Int = 0,
        building: String? = nil, category: String? = "order", sorts: [String] = ["created", "total"]
    ) throws -> ModelDescription {
        let build = building.map { #","building":\#($0)"# } ?? ""
        let stream = category.map { #","category":"\#($0)""# } ?? ""
        let json = """
            {"model":"orders","definition":\(definition),"state":"\(state)","rows":\(rows),"misfits":\(misfits),
            "bytes":8192\(build),"text":\(JSONText.quoted(text)),
            "fields":[{"name":"customer","type":"text","optional":false},{"name":"total","type":"number","optional":false},
            {"name":"placed","type":"time","optional":false},{"name":"carrier","type":"text","optional":true}],
            "filters":["customer","total","placed","carrier"],"sorts":\(sorts),"indexes":[],"history":false\(stream)}
            """
        let line = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
        return try require(ModelDescription(line))
    }

    /// A row of `orders`.
    static func order(_ id: String, total: String = "12.5", changes: Int = 1, position: Int = 1) throws -> ModelRow {
        try decode(
            """
            {"id":"\(id)","changes":\(changes),"position":\(position),"customer":"c1","total":\(total),
            "placed":"2026-11-27T06:44:00.123Z"}
            """)
    }

    static func event(
        _ position: Int, _ data: String = "{}", stream: String = "order-7", type: String = "Placed",
        erasedBy eraser: Int? = nil
    ) throws -> EventRow {
        let content = eraser.map { #""erased":\#($0)"# } ?? #""data":\#(data)"#
        let json =
            #"{"position":\#(position),"stream":"\#(stream)","version":\#(position),"type":"\#(type)","#
            + #""time":"2026-11-27T06:44:00.123Z","by":0,\#(content)}"#
        return EventRow(try Event(Array(json.utf8)), isWhole: true)
    }
}

extension Driven {
    /// The request for events that was made last.
    mutating func takeEventsRequest() throws -> ListRequest<Events> {
        let requests = takeCommands(of: Events.self).compactMap { command in
            if case .list(let request) = command { request } else { nil }
        }
        return try require(requests.last)
    }

    /// Something for the screen on top, which is of events.
    mutating func hand(events message: ScreenMessage<Events>) {
        send(.screen(state.route.location.number, AnyMessage(message, of: Events(selection: .all))))
    }

    /// Answers the last request for events.
    mutating func answer(events: [EventRow], next: String? = nil, position: UInt64) throws {
        let request = try takeEventsRequest()
        hand(events: .list(.loaded(request, Page(rows: events, next: next, position: position))))
    }

    /// The list of a model's rows, described and with these rows.
    static func orders(_ model: ModelDescription, _ rows: [ModelRow]) throws -> Driven {
        var driven = Driven(start: .rows(of: "orders"))
        driven.hand(.described(ModelRows(model)))
        let request = try driven.takeListRequest()
        driven.hand(.list(.loaded(request, Page(rows: rows, next: nil, position: 9))))
        return driven
    }

    /// The subscriptions of the screen on top.
    var followed: [AnySubscription] { state.route.location.screen.followed }
}
