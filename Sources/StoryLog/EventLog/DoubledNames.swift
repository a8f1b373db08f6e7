import CXXHash
package import StoryCore
import StoryStorage

/// A search for names that a log has twice, as no write makes them: a stream that begins again, and a request key that
/// two writes have.
///
/// It keeps 16 bytes for each name, for a bounded number of names; those with greater hashes are left to another pass
/// over the log. Names of one hash are compared themselves.
struct DoubledNames {
    /// The first event of a stream, or of a write with a key.
    private struct HashedName: BitwiseCopyable {
        let hash: UInt64
        let position: UInt64

        func precedes(_ other: HashedName) -> Bool { (hash, position) < (other.hash, other.position) }
    }

    /// The number of names for which there is memory.
    static let usualLimit = 1 << 21
    /// The number of names of one hash that are kept.
    private static let mostOfOneHash = 8

    private let limit: Int
    /// Random, so that nobody chooses names of one hash.
    private let seed: UInt64
    /// The hashes that belong to this pass.
    private var hashes: ClosedRange<UInt64>
    private var names: [HashedName] = []
    /// The key of the last record, as a hash, and its position; the events of one write are consecutive.
    private var key = (hash: UInt64(0), position: UInt64(0))

    /// Creates a search that has memory for `limit` names.
    init(limit: Int = usualLimit) {
        self.init(limit, seed: UInt64.random(in: 1...UInt64.max), hashes: 0...UInt64.max)
    }

    private init(_ limit: Int, seed: UInt64, hashes: ClosedRange<UInt64>) {
        self.limit = limit
        self.seed = seed
        self.hashes = hashes
    }

    /// Adds the next record of the log.
    mutating func add(_ record: EventRecord) {
        let position = record.position.value
        if record.version == Version(1) { add(hash(record.streamName, seed), position) }
        if let bytes = record.keyBytes {
            let hash = hash(bytes, ~seed)
            if hash != key.hash || position != key.position + 1 { add(hash, position) }
            key = (hash, position)
        } else if record.erased != nil, position == key.position + 1 {
            // The key may have been erased with the labels of an event in the middle of its write.
            key.position = position
        }
    }

    /// Finds the first name that the log has twice, in further passes over the log where there are too many names.
    ///
    /// - Parameters:
    ///   - last: the position of the last record that was added.
    ///   - isEnded: returns true to end the search; it is called now and then.
    /// - Throws: `.corrupt` with that name, and both its positions; otherwise the error of reading the log.
    consuming func check(
        _ view: LogView, through last: Position, isEnded: () -> Bool = { false }
    ) throws(StorageError) {
        var names = self
        var first: (position: UInt64, error: StorageError)?
        while true {
            if let found = try names.first(in: view), first.map({ found.position < $0.position }) ?? true {
                first = found
            }
            guard let next = names.next() else { break }
            names = next
            try view.scan(from: Position(1), through: last) { (position, record) throws(StorageError) in
                names.add(try record.event(at: position))
                return !position.value.isMultiple(of: 16_384) || !isEnded()
            }
            if isEnded() { return }
        }
        if let first { throw first.error }
    }

    // MARK: Inside

    private func hash(_ name: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
        xxhi_64(name.baseAddress, name.count, seed)
    }

    private mutating func add(_ hash: UInt64, _ position: UInt64) {
        guard hashes.contains(hash) else { return }
        names.append(HashedName(hash: hash, position: position))
        if names.count >= limit { makeRoom() }
    }

    /// Drops all but some names of each hash, then those of the greater half of the hashes.
    private mutating func makeRoom() {
        names.sort { $0.precedes($1) }
        var kept = 0
        for index in names.indices {
            let first = kept - DoubledNames.mostOfOneHash
            if first >= 0, names[first].hash == names[index].hash { continue }
            names[kept] = names[index]
            kept += 1
        }
        names.removeLast(names.count - kept)
        guard kept > limit / 2, case let middle = names[kept / 2].hash, middle > hashes.lowerBound else { return }
        hashes = hashes.lowerBound...middle - 1
        names.removeAll { $0.hash >= middle }
    }

    /// Returns the search among the hashes that were left out; nil where there are none.
    private func next() -> DoubledNames? {
        guard hashes.upperBound < UInt64.max else { return nil }
        return DoubledNames(limit, seed: seed, hashes: hashes.upperBound + 1...UInt64.max)
    }

    /// Returns the first second position of a name of this pass, with the error that names it.
    private mutating func first(
        in view: LogView
    ) throws(StorageError) -> (position: UInt64, error: StorageError)? {
        names.sort { $0.precedes($1) }
        var pairs: [(first: UInt64, second: UInt64)] = []
        for index in names.indices {
            var other = index + 1
            while other < names.count, names[other].hash == names[index].hash {
                pairs.append((names[index].position, names[other].position))
                other += 1
            }
        }
        pairs.sort { $0.second < $1.second }
        for pair in pairs {
            let error = try view.event(at: pair.first) { (first) throws(StorageError) in
                try view.event(at: pair.second) { second in DoubledNames.error(first, second) }
            }
            if let error { return (pair.second, error) }
        }
        return nil
    }

    private static func error(_ first: EventRecord, _ second: EventRecord) -> StorageError? {
        let (one, two) = (first.position.value, second.position.value)
        if first.version == Version(1), second.version == Version(1), first.streamName.equals(second.streamName) {
            let name = String(decoding: second.streamName, as: UTF8.self)
            return .corrupt(
                "the stream \(name) begins twice, at positions \(one) and \(two)", at: second.position)
        }
        guard let key = second.keyBytes, first.keyBytes?.equals(key) == true else { return nil }
        let name = String(decoding: key, as: UTF8.self)
        return .corrupt("the key \(name) is of two writes, at positions \(one) and \(two)", at: second.position)
    }
}

extension LMDBEventLog {
    /// Returns a check that no stream begins twice, and that no two writes have one key; on any thread. The log must stay
    /// open meanwhile.
    ///
    /// - Throws: the error of a view of the log; the check throws `.corrupt` with the first name that is doubled.
    package func namesCheck(
        through last: Position
    ) throws(StorageError) -> @Sendable () throws(StorageError) -> Void {
        let view = try LogView(self)
        return { () throws(StorageError) in
            var names = DoubledNames()
            try view.scan(from: Position(1), through: last) { (position, record) throws(StorageError) in
                let fields = record.sortFields
                if fields.version == 1 || fields.hasKey { names.add(try record.event(at: position)) }
                return true
            }
            try names.check(view, through: last)
        }
    }
}
