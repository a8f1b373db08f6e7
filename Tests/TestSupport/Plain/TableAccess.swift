package import StoryCore
package import StoryFold
package import StoryStore
import StoryStorage

extension ModelTable {
    /// The built-in table with this name.
    package static func named(_ name: String) -> ModelTable {
        guard let table = Catalogue.standard.tables.first(where: { $0.name == name }) else {
            preconditionFailure("there is no table \(name)")
        }
        return table
    }

    package static let users = named("users")
    package static let usersByDate = named("usersByDate")
    package static let photos = named("photos")
    package static let likes = named("likes")
    package static let keys = StreamTables.keys
}

/// Tables with keys and values in arrays; what a test's store cannot do ends the test.
extension TableStore {
    package func put(_ value: [UInt8], in table: ModelTable, at key: [UInt8]) {
        key.withBytes { key in
            value.withBytes { value in carried { () throws(StorageError) in try put(value, in: table.number, at: key) }
            }
        }
    }

    package func remove(in table: ModelTable, at key: [UInt8]) {
        key.withBytes { key in carried { () throws(StorageError) in try remove(in: table.number, at: key) } }
    }

    package func value(in table: ModelTable, at key: [UInt8]) -> [UInt8]? {
        var value: [UInt8]?
        key.withBytes { key in
            _ = carried { () throws(StorageError) in try withValue(table.number, at: key) { value = Array($0) } }
        }
        return value
    }

    /// Visits the entries from `lower` on, before `upper`; nil: without end.
    package func scan(
        _ table: ModelTable, from lower: [UInt8] = [], to upper: [UInt8]? = nil, _ order: Order = .ascending,
        _ visit: ([UInt8], [UInt8]) -> Bool
    ) {
        KeyBounds.with(lower, upper) { bounds in
            carried { () throws(StorageError) in
                try walk(table.number, bounds, order) { visit(Array($0), Array($1)) }
            }
        }
    }

    private func carried<Value>(_ body: () throws(StorageError) -> Value) -> Value {
        do throws(StorageError) { return try body() } catch { preconditionFailure("\(error)") }
    }
}

extension MemoryModelStore {
    /// The digest of the tables of the model with this name.
    package func digest(of model: String) -> ModelDigest {
        Catalogue.standard.tables(of: model).reduce(into: ModelDigest()) { $0.add(digest(of: $1)) }
    }
}
