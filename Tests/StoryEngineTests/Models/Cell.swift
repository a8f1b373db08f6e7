import TestSupport

@testable import StoryCore

/// A value of a declared row as a test has it: slow and obvious.
enum Cell: Equatable {
    case text([UInt8])
    /// A number by its text, without zeros at the end.
    case number(String)
    case flag(Bool)
    case time(Int64)
    case list([Cell])
    /// Entries in the order of their keys.
    case map([Pair])

    struct Pair: Equatable {
        let key: [UInt8]
        let value: Cell
    }

    /// The number times 10^18, exactly.
    private static func scaled(_ text: String) -> Int128 {
        let parts = text.drop { $0 == "-" }.split(separator: ".")
        let fraction = parts.count > 1 ? parts[1] : ""
        let digits = parts[0] + fraction + String(repeating: "0", count: 18 - fraction.count)
        let magnitude = digits.utf8.reduce(Int128(0)) { $0 * 10 + Int128($1 - 0x30) }
        return text.hasPrefix("-") ? -magnitude : magnitude
    }

    /// The order of two values of one type, negative where this one comes first.
    ///
    /// - Parameter prefix: the number of bytes of a text that count.
    func order(to other: Cell, prefix: Int = .max) -> Int {
        switch (self, other) {
        case (.text(let left), .text(let right)):
            let (left, right) = (left.prefix(prefix), right.prefix(prefix))
            return left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        case (.number(let left), .number(let right)):
            let (left, right) = (Cell.scaled(left), Cell.scaled(right))
            return left < right ? -1 : left == right ? 0 : 1
        case (.flag(let left), .flag(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
        case (.time(let left), .time(let right)): return left < right ? -1 : left == right ? 0 : 1
        default: preconditionFailure("values of two types have no order")
        }
    }

    /// The value as JSON.
    var json: String {
        switch self {
        case .text(let bytes): Cell.quoted(bytes)
        case .number(let text): text
        case .flag(let flag): "\(flag)"
        case .time(let milliseconds): "\"\(Instant(milliseconds: milliseconds).text)\""
        case .list(let cells): "[" + cells.map(\.json).joined(separator: ",") + "]"
        case .map(let entries):
            "{" + entries.map { Cell.quoted($0.key) + ":" + $0.value.json }.joined(separator: ",") + "}"
        }
    }

    static func quoted(_ bytes: [UInt8]) -> String {
        var json: [UInt8] = []
        bytes.withUnsafeBytes { $0.appendJSON(to: &json) }
        return String(decoding: json, as: UTF8.self)
    }

    /// The value of an option of a line.
    var option: String {
        switch self {
        case .text(let bytes): Cell.quoted(bytes)
        case .number(let text): text
        case .flag(let flag): "\(flag)"
        case .time(let milliseconds): Instant(milliseconds: milliseconds).text
        case .list, .map: preconditionFailure("no option is a list")
        }
    }

    /// The value as a program has it, in memory that is freed with all that it views.
    func value(in memory: FoldMemory, _ scalar: PackedScalar) -> ModelValue {
        switch self {
        case .text(let bytes): return .text(bytes.withUnsafeBytes { memory.copy($0) })
        case .number(let text):
            guard case .number(let number) = ModelNumber.read(text.utf8) else { preconditionFailure(text) }
            return .number(number)
        case .flag(let flag): return .boolean(flag)
        case .time(let milliseconds): return .time(Instant(milliseconds: milliseconds))
        case .list(let cells):
            var builder = PackedBuilder(memory, capacity: 64)
            for cell in cells { builder.append(cell.value(in: memory, scalar)) }
            return .list(PackedList(builder.bytes, count: cells.count, of: scalar))
        case .map(let entries):
            var map = PackedMap(of: scalar)
            for entry in entries {
                map = entry.key.withUnsafeBytes { map.setting($0, entry.value.value(in: memory, scalar), in: memory) }
            }
            return .map(map)
        }
    }
}
