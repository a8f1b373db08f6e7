/// The program that makes the rows of a declared model, as far as a schema has to know it.
///
/// Such a kind owns no category, and its tables are in an environment of its own.
package struct ProgramRows: Equatable, Sendable {
    /// The number of the definition, which the cursors of its lists carry.
    package let definition: UInt64
    /// True when each row is changed by the events of one stream of the kind's category alone.
    package let areOfOneStream: Bool
    /// True when each row is kept as it was after each of its changes.
    package let hasHistory: Bool

    /// Creates the program's part of a schema.
    package init(definition: UInt64, areOfOneStream: Bool, hasHistory: Bool) {
        self.definition = definition
        self.areOfOneStream = areOfOneStream
        self.hasHistory = hasHistory
    }

    /// The tables that no schema names.
    var tables: [ModelTable] {
        [ProgramTables.notes, ProgramTables.misfits, ProgramTables.seen] + (hasHistory ? [ProgramTables.history] : [])
    }
}

/// The tables in the environment of a declared model.
package enum ProgramTables {
    /// The rows by key.
    package static let rows = table(1, "rows")
    /// The rows' keys by number, in the order in which they were made.
    package static let numbers = table(2, "numbers")
    /// The tallies, and the counter of the rows.
    package static let counts = table(3, "counts")
    /// The key of the counter among the tallies: the number of rows that were ever made.
    package static let counterKey: UInt8 = 0xFF
    /// The key in the table of tallies that is there once an event of the categories was passed over, since it is erased.
    package static let erasedKey: UInt8 = 0xFD
    /// The note records by key.
    package static let notes = table(4, "notes")
    /// The misfits that are kept, by position.
    package static let misfits = table(5, "misfits")
    /// The rows as they were, by key and position; only with `history`.
    package static let history = table(6, "history")
    /// The names of the definition that events had.
    package static let seen = table(7, "seen")

    /// Returns the table of an index.
    ///
    /// - Parameter number: below 32.
    package static func index(_ number: Int) -> ModelTable {
        table(16 + UInt8(truncatingIfNeeded: number), "index\(number)")
    }

    private static func table(_ number: UInt8, _ name: String) -> ModelTable {
        ModelTable(number, name, of: "model")
    }
}
