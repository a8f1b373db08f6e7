/// Which of the things that are not durable are kept in an image.
package struct Choices {
    /// Up to so many things all subsets are tried.
    package static let enumerated = 12
    private static let page = 8

    private let items: [Disk.Pending]

    package init(_ disk: Disk) { items = disk.pending }

    /// How many choices there are, where they can be enumerated; else that a sample is taken.
    package static func count(of items: Int) -> Int { 1 << min(items, enumerated) }

    /// Some choices, all of them where there are no more.
    package func some(_ limit: Int, _ random: inout SplitMix64) -> [[Bool]] {
        if items.count <= Choices.enumerated, 1 << items.count <= limit {
            return (0..<1 << items.count).map { mask in items.indices.map { mask >> $0 & 1 == 1 } }
        }
        var made: [[Bool]] = []
        var known: Set<[Bool]> = []
        for attempt in 0..<4 * limit where made.count < limit {
            let choice = sample(attempt, &random)
            if known.insert(choice).inserted { made.append(choice) }
        }
        return made
    }

    /// One choice.
    package func one(_ random: inout SplitMix64) -> [Bool] {
        items.isEmpty ? [] : sample(Int.random(in: 0...9, using: &random), &random)
    }

    private func sample(_ attempt: Int, _ random: inout SplitMix64) -> [Bool] {
        let count = items.count
        switch attempt < 2 ? attempt : Int.random(in: 2...9, using: &random) {
        case 0: return Array(repeating: false, count: count)
        case 1: return Array(repeating: true, count: count)
        case 2:
            // In order, and torn somewhere.
            let end = Int.random(in: 0...count, using: &random)
            return items.indices.map { $0 < end }
        case 3:
            let dropped = Int.random(in: 0..<count, using: &random)
            return items.indices.map { $0 != dropped }
        case 4:
            let only = Int.random(in: 0..<count, using: &random)
            return items.indices.map { $0 == only }
        case 5: return grouped(&random) { $0.call }
        case 6: return grouped(&random) { Choices.page(of: $0) }
        case 7: return grouped(&random) { $0.node }
        default:
            let share = Double.random(in: 0...1, using: &random)
            return items.map { _ in Double.random(in: 0..<1, using: &random) < share }
        }
    }

    /// Keeps what belongs together, or none of it.
    private func grouped(_ random: inout SplitMix64, _ group: (Disk.Pending) -> Int) -> [Bool] {
        var kept: [Int: Bool] = [:]
        return items.map { item in
            let number = group(item)
            if let known = kept[number] { return known }
            let isKept = Bool.random(using: &random)
            kept[number] = isKept
            return isKept
        }
    }

    private static func page(of item: Disk.Pending) -> Int {
        switch item.change {
        case .sector(let sector, _): item.node << 32 | sector / page
        case .size: -1 - item.node
        case .name: -(item.call << 20) - item.node
        }
    }
}

/// A choice as text, so that it can be tried again.
package enum KeptText {
    package static func text(_ kept: [Bool]) -> String {
        stride(from: 0, to: kept.count, by: 4).map { start in
            let digit = kept[start..<min(start + 4, kept.count)].enumerated().reduce(0) { $0 | ($1.1 ? 1 << $1.0 : 0) }
            return String(digit, radix: 16)
        }.joined()
    }

    package static func kept(_ text: String, _ count: Int) -> [Bool] {
        let digits = text.compactMap(\.hexDigitValue)
        return (0..<count).map { $0 / 4 < digits.count && digits[$0 / 4] >> ($0 % 4) & 1 == 1 }
    }
}
