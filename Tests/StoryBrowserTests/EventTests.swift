import Foundation
import TestSupport
import Testing

@testable import StoryBrowser
@testable import StoryClient

/// The screens of streams, of the log and of all that the store holds, without a store.
@Suite struct EventTests {
    private func events(_ positions: some Sequence<Int>) throws -> [EventRow] {
        try positions.map { try Fixtures.event($0, #"{"n":\#($0)}"#) }
    }

    @Test func `the newest event stays selected until another one is, and then that stays`() throws {
        var driven = Driven(start: .events(.all))
        expect(driven.followed == [AnySubscription(.anything(.events(.all)), of: Events(selection: .all))])
        try driven.answer(events: try events([3, 2, 1]), position: 3)
        let expected = [
            "all · live, the newest first",
            "  position  time (UTC)          stream         type         data",
            "▸ 3         2026-11-27 06:44:00 order-7        Placed       {\"n\":3}",
        ]
        expect(Array(driven.lines[1...3]) == expected, "\(driven.lines[1...3])")
        driven.hand(events: .list(.stirred))
        try driven.answer(events: try events([5, 4, 3, 2, 1]), position: 5)
        expect(driven.lines[3].hasPrefix("▸ 5 ") && driven.lines[4].hasPrefix(" *4 "))
        expect(driven.lines[1].hasSuffix(" · 1 new"))
        driven.press(.down)
        driven.hand(events: .list(.stirred))
        try driven.answer(events: try events([6, 5, 4, 3, 2, 1]), position: 6)
        expect(driven.lines[3].hasPrefix(" *6 ") && driven.lines[5].hasPrefix("▸ 4 "))
        driven.press(.home)
        expect(driven.lines[3].hasPrefix("▸ 6 ") && driven.lines[1] == "all · live, the newest first")
    }

    @Test func `events that arrive faster than they are read do not take the selected one away`() throws {
        var driven = Driven(start: .events(.all))
        try driven.answer(events: try events((1...100).reversed()), next: "1", position: 100)
        driven.press(.down, .down)
        _ = driven.takeCommands()
        driven.hand(events: .list(.stirred))
        try driven.answer(events: try events((901...1_000).reversed()), next: "900", position: 1_000)
        expect(driven.lines[5].hasPrefix("▸ 98 ") && driven.lines[3].hasPrefix("  100 "))
        expect(driven.lines[1].hasPrefix("all · live, the newest first · held, Home shows the newest"))
        driven.press(.home)
        let request = try driven.takeEventsRequest()
        expect(request.part == .whole && request.after == nil)
        let rows = try events((901...1_000).reversed())
        driven.hand(events: .list(.loaded(request, Page(rows: rows, next: "900", position: 1_000))))
        expect(driven.lines[3].hasPrefix("▸ 1000 ") && !driven.lines[1].contains("held"))
    }

    @Test func `an event has its data a member a line, and leads to its stream`() throws {
        var driven = Driven(start: .events(.all))
        let event = try Fixtures.event(3, #"{"customer": "c1","lines":[{"sku":"a:{b}","n":1.50},[]],"none":{}}"#)
        try driven.answer(events: [event], position: 3)
        driven.press(.enter)
        driven.hand(events: .page(.changed([.row(event, position: 3)])))
        let expected = [
            "an event of the log, which never changes", "type          Placed", "stream        order-7, version 3",
            "position      3", "time          2026-11-27 06:44:00 UTC", "by            user ID 0", "", "{",
            "  \"customer\": \"c1\",", "  \"lines\": [", "    {", "      \"sku\": \"a:{b}\",", "      \"n\": 1.50",
            "    },", "    []", "  ],", "  \"none\": {}", "}",
        ]
        expect(Array(driven.lines[1...18]) == expected, "\(driven.lines)")
        driven.type("o")
        expect(driven.lines[0].hasPrefix(" log › event 3 › order-7 "))
        let stream = EventSelection.stream("order-7")
        expect(driven.followed == [AnySubscription(.anything(.events(stream)), of: Events(selection: stream))])
    }

    @Test func `an erased event shows the position of the one that erased it in place of its data`() throws {
        var driven = Driven(start: .events(.all))
        let event = try Fixtures.event(3, erasedBy: 9)
        try driven.answer(events: [event], position: 10)
        expect(driven.lines[3] == "▸ 3         2026-11-27 06:44:00 order-7        Placed       erased by 9")
        driven.press(.enter)
        driven.hand(events: .page(.changed([.row(event, position: 3)])))
        let expected = [
            "an event of the log, which never changes", "type          Placed", "stream        order-7, version 3",
            "position      3", "time          2026-11-27 06:44:00 UTC", "by            user ID 0", "", "erased by 9",
            "",
        ]
        expect(Array(driven.lines[1...9]) == expected, "\(driven.lines)")
    }

    @Test func `events are filtered by type and time`() throws {
        var driven = Driven(start: .events(.category("order")))
        try driven.answer(events: [], position: 3)
        expect(driven.lines[3] == "  there are no events of order; 6 shows the categories that have some")
        driven.type("/Placed, Shipped")
        driven.press(.tab)
        driven.type("2026-11-27")
        driven.press(.enter)
        let filter = try driven.takeEventsRequest().query.filter
        expect(filter.types == ["Placed", "Shipped"] && filter.until == nil)
        expect(filter.since == Date(timeIntervalSince1970: 1_795_737_600))
        driven.type("t")
        expect(driven.lines[0].hasPrefix(" events of order › streams of order "))
    }

    @Test func `a stream is found by its ID, and one that is not there is told`() throws {
        var driven = Driven(start: .streams(of: "order"))
        driven.type("/7")
        expect(driven.lines[1] == "find a stream of order" && driven.lines[3] == "▸ order-  7")
        driven.press(.enter)
        let requests = driven.takeCommands(of: Streams.self).compactMap { command in
            if case .list(let request) = command { request } else { nil }
        }
        let request = try require(requests.last)
        expect(request.query.filter.id == "7")
        let number = driven.state.route.location.number
        let page = Page<StreamState>(rows: [], next: nil, position: 1)
        driven.send(.screen(number, AnyMessage(.list(.loaded(request, page)), of: Streams(category: "order"))))
        expect(driven.lines[1].hasPrefix("id=7") && driven.lines[3] == "  there is no such stream of order")
    }

    @Test func `the first screen leads to all that the store holds`() throws {
        var driven = Driven(start: .overview)
        expect(driven.followed == [AnySubscription(.anything(.every(.seconds(1))), of: Overview())])
        let requests = driven.takeCommands(of: Overview.self).compactMap { command in
            if case .list(let request) = command { request } else { nil }
        }
        let lines = [
            OverviewLine(id: "models", key: "5", count: 1, note: "", destination: .models),
            OverviewLine(id: "  orders", key: "", count: 12, note: "ready", destination: .rows(of: "orders")),
            OverviewLine(id: "log", key: "7", count: 30, note: "", destination: .events(.all)),
        ]
        let page = Page(rows: lines, next: nil, position: 0)
        let request = try require(requests.last)
        driven.send(.screen(0, AnyMessage(.list(.loaded(request, page)), of: Overview())))
        expect(driven.lines[4] == "        orders            12         ready", "\(driven.lines[4])")
        driven.press(.down, .enter)
        expect(driven.lines[0].hasPrefix(" store › orders "))
        driven.press(.escape, .down, .enter)
        expect(driven.lines[0].hasPrefix(" store › log "))
    }
}
