import StoryStorage
package import StoryCore

/// An event `Erased` of the log, as far as a directory needs it to carry it out.
///
/// Its data are written by the store alone, so its members are found by their names: in a text, a quote is escaped.
package struct ErasureOrder: Equatable, Sendable {
    /// The position of the event.
    package let eraser: Position
    /// The positions of the events that go, in ascending order.
    let positions: [ClosedRange<Position>]
    /// True where the labels go as well.
    let dropsLabels: Bool
    /// The ID of the history that the positions are of.
    private let log: LogID

    /// Reads an event; nil for any other one, and for one whose data were erased.
    package init?(_ record: EventRecord) {
        guard ErasureOrder.isOrder(record), let range = record.data else { return nil }
        let data = UnsafeRawBufferPointer(rebasing: record.json[range])
        guard let start = data.end(of: "\"positions\":["), let log = data.text(of: "\"log\":\"").flatMap({ LogID($0) }),
            let positions = ErasureOrder.ranges(
                UnsafeRawBufferPointer(rebasing: data[start...]), before: record.position)
        else { return nil }
        (eraser, self.positions, self.log) = (record.position, positions, log)
        dropsLabels = data.end(of: "\"labels\":\"drop\"") != nil
    }

    /// Returns true for the type and the category of an order; the sizes of the names rule most events out.
    @inline(__always)
    static func mayBeOrder(_ header: EventHeader) -> Bool {
        header.typeCount == type.utf8CodeUnitCount && header.streamCount > category.utf8CodeUnitCount
    }

    /// Returns true where the events are of this history, or of one that it was copied from.
    func isOf(_ identity: StoredIdentity) -> Bool {
        LogID(binary: identity.id) == log
            || identity.ancestors.contains { LogID(binary: $0.id) == log && eraser <= $0.position }
    }

    private static let type: StaticString = "Erased"
    private static let category: StaticString = "erasure-"

    private static func isOrder(_ record: EventRecord) -> Bool {
        let (stream, type) = (record.json[record.stream], record.json[record.type])
        return UnsafeRawBufferPointer(rebasing: type).equals(ErasureOrder.type)
            && stream.count > category.utf8CodeUnitCount
            && UnsafeRawBufferPointer(rebasing: stream.prefix(category.utf8CodeUnitCount)).equals(category)
    }

    /// Reads `[first,last],…`, up to the bracket that ends the array; nil where it is anything else.
    private static func ranges(
        _ text: UnsafeRawBufferPointer, before eraser: Position
    ) -> [ClosedRange<Position>]? {
        var (found, index) = ([ClosedRange<Position>](), 0)
        func take(_ byte: Character) -> Bool {
            guard index < text.count, text[index] == byte.asciiValue else { return false }
            index += 1
            return true
        }
        func number() -> UInt64? {
            var (value, digits) = (UInt64(0), 0)
            while index < text.count, case let digit = text[index] &- 0x30, digit < 10, digits < 16 {
                value = value * 10 + UInt64(digit)
                (index, digits) = (index + 1, digits + 1)
            }
            return digits > 0 ? value : nil
        }
        repeat {
            guard take("["), let first = number(), take(","), let last = number(), take("]"), first > 0,
                first <= last, last < eraser.value, first > found.last?.upperBound.value ?? 0
            else { return nil }
            found.append(Position(first)...Position(last))
        } while take(",")
        return take("]") ? found : nil
    }
}

extension ErasureMask {
    /// Masks the events of an order.
    mutating func add(_ order: ErasureOrder) {
        add(order.positions, by: order.eraser, dropsLabels: order.dropsLabels)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the end offset of the first occurrence of a text; nil where there is none.
    fileprivate func end(of text: StaticString) -> Int? {
        text.withUTF8Buffer { text in
            guard count >= text.count else { return nil }
            let first = (0...count - text.count).first { start in
                self[start] == text[0] && self[start..<start + text.count].elementsEqual(text)
            }
            return first.map { $0 + text.count }
        }
    }

    /// Returns the characters between the first occurrence of a text and a quote; nil where there are none.
    fileprivate func text(of name: StaticString) -> Slice<UnsafeRawBufferPointer>? {
        guard let start = end(of: name), let end = self[start...].firstIndex(of: 0x22) else { return nil }
        return self[start..<end]
    }
}
