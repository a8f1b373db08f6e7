import StoryCore
import StoryEngine
import Testing
import TestSupport

/// Answers in steps of one unit are the answers that one step gives.
struct StepTests {
    @Test(arguments: Kind.allCases, [61, 62, 63] as [UInt64])
    func `counts under way are exact whatever is written between their steps`(kind: Kind, seed: UInt64) {
        var (world, maker) = EngineHarness.random(seed: seed, 250)
        for filters in FilterSets.all(kind) {
            var counts = [world.begin(.counting(kind, filters))].compactMap { $0 }
            // Each begins somewhere else, so that writes meet one in the middle and one that has hardly begun.
            for _ in 0..<400 where !counts.isEmpty {
                for count in counts { count.step(1) }
                expectExact(counts, kind, filters, world)
                counts.removeAll { $0.end != nil }
                world.run(&maker, 1)
            }
            expect(counts.isEmpty, "\(kind) \(filters): a walk ends though rows are added")
        }
    }

    private func expectExact(_ counts: [HeldAnswer], _ kind: Kind, _ filters: [PlainFilter], _ world: EngineHarness) {
        guard counts.contains(where: { $0.end != nil }) else { return }
        let expected = world.rows(kind).count { row in filters.allSatisfy { PlainList.passes(row, $0) } }
        for end in counts.compactMap(\.end) {
            expect(end.reply == .done(.counted(expected, position: world.log.head)), "\(kind) \(filters)")
            expect(end.restsOn == world.log.head)
        }
    }

    @Test func `those that were seen are counted without a walk`() {
        let world = EngineHarness.random(seed: 64, 300).harness
        for filters in [[], [PlainFilter.recipient("u2".id)], [.sender("u1".id)]] {
            expect(world.begin(.counting(.messages, filters + [.unseen(false)])) == nil)
        }
        expect(world.begin(.counting(.messages, [.sender("u1".id), .recipient("u2".id), .unseen(false)])) != nil)
    }

    @Test(arguments: Kind.allCases, [1, 20])
    func `pages that look at few rows are the list when next is followed`(kind: Kind, looks: Int) {
        var limits = Limits()
        limits.looks = looks
        let world = EngineHarness(EngineHarness.random(seed: 65, 220).harness.log.events, limits: limits)
        let rows = world.rows(kind)
        for sort in kind.sorts {
            for filters in FilterSets.all(kind) {
                for order in [Order.ascending, .descending] {
                    let expected = PlainList.rows(rows, filters, sort, order).map(\.number)
                    let query = PlainQuery(
                        kind: kind, filters: filters, sort: sort, order: order, limit: 2, after: nil)
                    let found = world.pages(query)?.map(\.number)
                    if found != expected { Issue.record("\(query): \(String(describing: found)), not \(expected)") }
                }
            }
        }
    }

    @Test func `a filter that matches nothing gives empty pages to the end`() {
        var limits = Limits()
        limits.looks = 10
        let world = EngineHarness(EngineHarness.random(seed: 66, 220).harness.log.events, limits: limits)
        let answer = world.ask(.listing(.messages, [.sender("u1".id), .story("none".id), .unseen(false)]))
        expect(answer.rows.isEmpty)
        let all = PlainQuery(
            kind: .messages, filters: [.unseen(false), .until("1950-01-01T00:00:00Z".instant)], sort: .date,
            order: .descending, limit: 5, after: nil)
        expect(world.pages(all)?.isEmpty == true)
    }

    @Test func `a row as it was is folded in steps`() {
        let world = EngineHarness.random(seed: 67, 200).harness
        for position in stride(from: 1, through: world.log.head.value, by: 11).map(Position.init) {
            let past = PlainRows(world.log.events.filter { $0.position <= position })
            for kind in Kind.allCases {
                for row in world.rows(kind) {
                    let action = RequestAction.get(kind, row.id, at: .position(position))
                    world.stepRecords = 1
                    let answer = world.ask(action)
                    world.stepRecords = 1_000_000
                    expect(answer == world.ask(action))
                    expect(answer.row == past.rows(kind).first { $0.id == row.id })
                }
            }
        }
    }

    @Test func `streams are paged in steps`() {
        let world = EngineHarness.random(seed: 68, 200).harness
        for source in [EventSelection.Source.all, .category("story".category), .stream("user-u1".stream)] {
            for limit in [1, 7, 1_000] {
                let action = RequestAction.streams(StreamsQuery(source: source, after: nil, limit: limit))
                world.stepRecords = 1
                let answer = world.ask(action)
                world.stepRecords = 1_000_000
                expect(answer == world.ask(action))
            }
        }
    }
}
