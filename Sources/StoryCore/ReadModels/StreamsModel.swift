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

    /// Nil when the stream has no event.
    package static func number(of name: StreamName, in store: any ModelStore) -> StreamNumber? {
        store.value(in: .streamNames, at: name.bytes).flatMap { KeyReader.number($0, at: 0) }.map(StreamNumber.init)
    }

    /// Nil when the stream has no event.
    package static func head(of name: StreamName, in store: any ModelStore) -> Head? {
        number(of: name, in: store).flatMap { head(of: $0, in: store) }
    }

    package static func head(of number: StreamNumber, in store: any ModelStore) -> Head? {
        guard let value = store.value(in: .streamHeads, at: KeyWriter.number(number)),
            let version = KeyReader.number(value, at: 0),
            let position = KeyReader.number(value, at: KeyWriter.numberCount)
        else { return nil }
        return Head(number: number, version: Version(version), position: Position(position))
    }

    /// The greatest stream number in use; 0 when there is none.
    package static func greatestNumber(in store: any ModelStore) -> StreamNumber {
        var greatest: UInt64 = 0
        store.scan(.streamHeads, KeyRange(), .descending) { key, _ in
            greatest = KeyReader.number(key, at: 0) ?? 0
            return false
        }
        return StreamNumber(greatest)
    }

    /// Where the event of a version lies; nil past the stream's end.
    package static func position(
        of version: Version, in stream: StreamNumber, _ store: any ModelStore
    ) -> Position? {
        store.value(in: .streamVersions, at: versionKey(stream, version)).flatMap { KeyReader.number($0, at: 0) }
            .map(Position.init)
    }

    /// The versions `from` … `through` of a stream with their positions, in the order asked for.
    package static func scanVersions(
        of stream: StreamNumber, from: Version, through: Version, _ order: Order, in store: any ModelStore,
        _ visit: (Version, Position) -> Bool
    ) {
        guard from <= through else { return }
        let range = KeyRange(lower: versionKey(stream, from), upper: versionKey(stream, through.next))
        store.scan(.streamVersions, range, order) { key, value in
            guard let version = KeyReader.number(key, at: KeyWriter.numberCount),
                let position = KeyReader.number(value, at: 0)
            else { return false }
            return visit(Version(version), Position(position))
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
        let range = KeyRange(lower: categoryKey(category, from), upper: categoryKey(category, through.next))
        store.scan(.categoryEvents, range, order) { key, _ in
            KeyReader.number(key, at: KeyWriter.numberCount).map { visit(Position($0)) } ?? false
        }
    }

    /// Folds one event in.
    static func fold(
        _ event: Event, _ categories: CategoryNumbers, in store: any ModelStore, _ scratch: inout FoldScratch<[UInt8]>
    ) {
        let target = StoreTarget(store: store)
        let head = Head(number: event.streamNumber, version: event.version, position: event.position)
        if head.version == Version(1) {
            event.stream.bytes.withUnsafeBytes { putName($0, head.number, in: target, &scratch) }
        }
        putHead(head, in: target, &scratch)
        let category = categories.number(of: event.stream) { numbered(event.stream.category, in: store) }
        putPlace(head, category, in: target, &scratch)
    }

    static func putName<Target: FoldTarget>(
        _ name: UnsafeRawBufferPointer, _ number: StreamNumber, in target: Target,
        _ scratch: inout FoldScratch<Target.Bytes>
    ) {
        scratch.key.set(name)
        scratch.value.set(number.value)
        target.put(scratch.value.bytes, in: .streamNames, at: scratch.key.bytes)
    }

    static func putHead<Target: FoldTarget>(
        _ head: Head, in target: Target, _ scratch: inout FoldScratch<Target.Bytes>
    ) {
        scratch.key.set(head.number.value)
        scratch.value.set(head.version.value, head.position.value)
        target.put(scratch.value.bytes, in: .streamHeads, at: scratch.key.bytes)
    }

    /// Where one event lies, by its stream and by its category.
    static func putPlace<Target: FoldTarget>(
        _ head: Head, _ category: UInt64, in target: Target, _ scratch: inout FoldScratch<Target.Bytes>
    ) {
        scratch.key.set(head.number.value, head.version.value)
        scratch.value.set(head.position.value)
        target.put(scratch.value.bytes, in: .streamVersions, at: scratch.key.bytes)
        scratch.key.set(category, head.position.value)
        target.put(in: .categoryEvents, at: scratch.key.bytes)
    }

    /// The number of a category, given now when it is new.
    package static func numbered(_ category: CategoryName, in store: any ModelStore) -> UInt64 {
        if let number = number(of: category, in: store) { return number }
        let count = store.value(in: .categories, at: countKey).flatMap { KeyReader.number($0, at: 0) } ?? 0
        var value = KeyWriter()
        value.number(count + 1)
        store.put(value.bytes, in: .categories, at: category.bytes)
        store.put(value.bytes, in: .categories, at: countKey)
        return count + 1
    }

    /// How many categories there are; no category has such a name.
    private static let countKey: [UInt8] = [0]

    private static func versionKey(_ stream: StreamNumber, _ version: Version) -> [UInt8] {
        var key = KeyWriter()
        key.number(stream)
        key.number(version.value)
        return key.bytes
    }

    private static func categoryKey(_ category: UInt64, _ position: Position) -> [UInt8] {
        var key = KeyWriter()
        key.number(category)
        key.position(position)
        return key.bytes
    }
}
