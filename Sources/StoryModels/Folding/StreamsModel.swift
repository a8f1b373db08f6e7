package import StoryCore

/// Which streams there are, how far each is, where its events lie in the log, and where those of a category lie.
package enum StreamsModel {
    /// The place of a stream among all streams, and how far it is.
    package struct Head: Equatable, Sendable {
        package let number: StreamNumber
        package let version: Version
        package let position: Position

        package init(number: StreamNumber, version: Version, position: Position) {
            self.number = number
            self.version = version
            self.position = position
        }
    }

    /// How many positions stand in one entry: an event makes the newest entry of its stream six bytes longer, and most
    /// events make no new one.
    package static let chunk: UInt64 = 64

    /// Nil when the stream has no event.
    package static func number(of name: StreamName, in store: any ModelStore) -> StreamNumber? {
        head(of: name, in: store)?.number
    }

    /// Nil when the stream has no event.
    package static func head(of name: StreamName, in store: any ModelStore) -> Head? {
        name.spelling.withUnsafeBytes { head(at: $0, in: store) }
    }

    /// How far the stream is that holds one ID's history; nil when there is none. Its name is not made.
    package static func head(of kind: Kind, _ id: UnsafeRawBufferPointer, in store: any ModelStore) -> Head? {
        precondition(id.count <= Identifier.length.upperBound, "An ID is no longer than it may be.")
        return withUnsafeTemporaryAllocation(byteCount: StreamName.length.upperBound, alignment: 8) { place in
            let category = kind.categoryName
            let dash = category.utf8CodeUnitCount
            place.copyMemory(from: UnsafeRawBufferPointer(start: category.utf8Start, count: dash))
            place[dash] = 0x2D
            UnsafeMutableRawBufferPointer(rebasing: place[(dash + 1)...]).copyMemory(from: id)
            return head(at: UnsafeRawBufferPointer(rebasing: place[..<(dash + 1 + id.count)]), in: store)
        }
    }

    /// How far the stream with this name is; nil when it has no event.
    package static func head(at name: UnsafeRawBufferPointer, in store: any ModelStore) -> Head? {
        var head: Head?
        store.lend(.streams, at: name) { head = Head($0) }
        return head
    }

    /// The greatest stream number in use; 0 when there is none.
    package static func greatestNumber(in store: any ModelStore) -> StreamNumber {
        StreamNumber(count(at: streamCountKey, in: store))
    }

    /// Where the event of a version lies; nil past the stream's end.
    package static func position(
        of version: Version, in stream: StreamNumber, _ store: any ModelStore
    ) -> Position? {
        guard version > .zero else { return nil }
        let (chunk, index) = (version.value - 1).quotientAndRemainder(dividingBy: StreamsModel.chunk)
        return store.value(in: .streamPositions, at: key(stream.value, chunk)).flatMap { bytes in
            bytes.withUnsafeBytes { PositionList($0)[Int(index)] }
        }
    }

    /// The versions `from` … `through` of a stream with their positions, in the order asked for.
    package static func scanVersions(
        of stream: StreamNumber, from: Version, through: Version, _ order: Order, in store: any ModelStore,
        _ visit: (Version, Position) -> Bool
    ) {
        let wanted = max(from.value, 1)...max(through.value, from.value, 1)
        guard from <= through, through > .zero else { return }
        func visitChunk(_ chunk: UInt64, _ bytes: UnsafeRawBufferPointer) -> Bool {
            let list = PositionList(bytes)
            let first = chunk * StreamsModel.chunk + 1
            return list.indices(order).allSatisfy { index in
                guard let position = list[index], wanted.contains(first + UInt64(index)) else { return true }
                return visit(Version(first + UInt64(index)), position)
            }
        }
        let chunks = (wanted.lowerBound - 1) / StreamsModel.chunk...(wanted.upperBound - 1) / StreamsModel.chunk
        // Most readings stay within an entry or two, which are found quicker one by one than by walking.
        if chunks.count <= 16 {
            for offset in 0..<UInt64(chunks.count) {
                let chunk = order == .ascending ? chunks.lowerBound + offset : chunks.upperBound - offset
                var isMoreWanted = true
                _ = key(stream.value, chunk).withUnsafeBytes { key in
                    store.lend(.streamPositions, at: key) { isMoreWanted = visitChunk(chunk, $0) }
                }
                guard isMoreWanted else { return }
            }
            return
        }
        let range = KeyRange(
            lower: key(stream.value, chunks.lowerBound), upper: key(stream.value, chunks.upperBound + 1))
        store.walk(.streamPositions, range, order) { key, bytes in
            KeyReader.number(key, at: KeyWriter.numberCount).map { visitChunk($0, bytes) } ?? false
        }
    }

    /// The number of a category; nil when no stream has it.
    package static func number(of category: CategoryName, in store: any ModelStore) -> UInt64? {
        store.value(in: .categories, at: category.bytes).flatMap { KeyReader.number($0, at: 0) }
    }

    /// The positions `from` … `through` of a category's events, in the order asked for.
    package static func scanCategory(
        _ category: UInt64, from: Position, through: Position, _ order: Order, in store: any ModelStore,
        _ visit: (Position) -> Bool
    ) {
        guard from <= through else { return }
        // The first entry may begin before `from`.
        let first = newestChunk(of: category, through: from, in: store)?.first ?? from.value
        let range = KeyRange(lower: key(category, first), upper: key(category, through.next.value))
        store.walk(.categoryPositions, range, order) { _, bytes in
            let list = PositionList(bytes)
            return list.indices(order).allSatisfy { index in
                guard let position = list[index], position >= from, position <= through else { return true }
                return visit(position)
            }
        }
    }

    /// Folds one event in.
    static func fold(
        _ event: Event, _ categories: CategoryPlaces, in store: any ModelStore, _ scratch: inout FoldScratch<[UInt8]>
    ) {
        let head = Head(number: event.streamNumber, version: event.version, position: event.position)
        event.stream.spelling.withUnsafeBytes {
            fold(head, $0, event.stream.categoryCount, categories, in: store, &scratch)
        }
    }

    /// Folds one event in: how far its stream is with it, the stream's name, and how much of that is the category.
    static func fold(
        _ head: Head, _ name: UnsafeRawBufferPointer, _ categoryCount: Int, _ categories: CategoryPlaces,
        in store: any ModelStore, _ scratch: inout FoldScratch<[UInt8]>
    ) {
        if head.version <= Version(1) { putCount(of: head.number, in: store) }
        putHead(head, name, in: StoreTarget(store: store), &scratch)
        scratch.value.set(head.position.value)
        scratch.key.set(head.number.value, chunk(of: head.version))
        store.append(scratch.value.bytes, in: .streamPositions, at: scratch.key.bytes)
        let place = categories.place(of: name, categoryCount, at: head.position.value) {
            categoryPlace(CategoryName(trusted: Array(name[..<categoryCount])), in: store)
        }
        scratch.key.set(place.category, place.first)
        store.append(scratch.value.bytes, in: .categoryPositions, at: scratch.key.bytes)
    }

    static func putHead<Target: FoldTarget>(
        _ head: Head, _ name: UnsafeRawBufferPointer, in target: Target, _ scratch: inout FoldScratch<Target.Bytes>
    ) {
        scratch.key.set(name)
        scratch.value.set(head.number.value, head.version.value)
        scratch.value.number(head.position.value)
        target.put(scratch.value.bytes, in: .streams, at: scratch.key.bytes)
    }

    /// Puts a whole entry of a stream's positions, which `scratch.places` has, and begins the next one.
    ///
    /// - Parameter version: the last one of the entry.
    static func putPositions<Target: FoldTarget>(
        of stream: StreamNumber, through version: Version, in target: Target,
        _ scratch: inout FoldScratch<Target.Bytes>
    ) {
        scratch.key.set(stream.value, chunk(of: version))
        target.put(scratch.places.bytes, in: .streamPositions, at: scratch.key.bytes)
        scratch.places.clear()
    }

    /// The entry that has a version's position.
    static func chunk(of version: Version) -> UInt64 { (max(version.value, 1) - 1) / chunk }

    /// How many streams there are: streams are numbered as they come.
    package static func putCount(of greatest: StreamNumber, in store: any ModelStore) {
        store.put(KeyWriter.number(greatest), in: .categories, at: streamCountKey)
    }

    /// The number of a category, given now when it is new.
    package static func numbered(_ category: CategoryName, in store: any ModelStore) -> UInt64 {
        if let number = number(of: category, in: store) { return number }
        let number = count(at: categoryCountKey, in: store) + 1
        var value = KeyWriter()
        value.number(number)
        store.put(value.bytes, in: .categories, at: category.bytes)
        store.put(value.bytes, in: .categories, at: categoryCountKey)
        return number
    }

    /// Where the events of a category go, which gets a number now when it is new.
    private static func categoryPlace(_ name: CategoryName, in store: any ModelStore) -> CategoryPlaces.Place {
        let number = numbered(name, in: store)
        let newest = newestChunk(of: number, through: .greatest, in: store)
        return CategoryPlaces.Place(
            name: name.bytes, category: number, first: newest?.first ?? 0, count: newest?.count ?? chunk)
    }

    /// The last entry of a category that begins at a position or before it.
    private static func newestChunk(
        of category: UInt64, through position: Position, in store: any ModelStore
    ) -> (first: UInt64, count: UInt64)? {
        var found: (first: UInt64, count: UInt64)?
        let last = min(position.value, KeyWriter.greatestNumber)
        let range = KeyRange(lower: key(category, 0), upper: key(category, last) + [0])
        store.walk(.categoryPositions, range, .descending) { key, bytes in
            found = KeyReader.number(key, at: KeyWriter.numberCount).map { ($0, UInt64(PositionList(bytes).count)) }
            return false
        }
        return found
    }

    /// How many categories and streams there are stands under names that no category has.
    private static let categoryCountKey: [UInt8] = [0]
    private static let streamCountKey: [UInt8] = [1]

    private static func count(at key: [UInt8], in store: any ModelStore) -> UInt64 {
        store.value(in: .categories, at: key).flatMap { KeyReader.number($0, at: 0) } ?? 0
    }

    private static func key(_ owner: UInt64, _ place: UInt64) -> [UInt8] {
        var key = KeyWriter()
        key.set(owner, min(place, KeyWriter.greatestNumber))
        return key.bytes
    }
}

extension StreamsModel.Head {
    /// Reads what `StreamsModel` keeps at a stream's name.
    package init?(_ value: [UInt8]) {
        guard let head = value.withUnsafeBytes({ StreamsModel.Head($0) }) else { return nil }
        self = head
    }

    /// The same for bytes that are lent.
    init?(_ value: UnsafeRawBufferPointer) {
        guard let number = KeyReader.number(value, at: 0),
            let version = KeyReader.number(value, at: KeyWriter.numberCount),
            let position = KeyReader.number(value, at: 2 * KeyWriter.numberCount)
        else { return nil }
        self.init(number: StreamNumber(number), version: Version(version), position: Position(position))
    }
}

/// Positions one after the other, six bytes each, oldest first.
private struct PositionList {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var count: Int { bytes.count / KeyWriter.numberCount }

    /// Nil past the end.
    subscript(index: Int) -> Position? {
        KeyReader.number(bytes, at: index * KeyWriter.numberCount).map(Position.init)
    }

    func indices(_ order: Order) -> StrideTo<Int> {
        order == .ascending ? stride(from: 0, to: count, by: 1) : stride(from: count - 1, to: -1, by: -1)
    }
}
