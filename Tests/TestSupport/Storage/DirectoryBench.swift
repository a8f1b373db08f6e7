import Foundation
import Glibc
package import StoryCore
package import StoryLog
import StoryFold
package import StoryStore
import StoryStorage
import StoryWire

/// A data directory of a test's own, opened and closed as often as the test likes.
package final class DirectoryBench {
    /// Where the directory is, or will be.
    package let path: String
    private var directory: DataDirectory?
    /// The kinds of the stored models.
    package let catalogue: Catalogue

    package init(_ catalogue: Catalogue = .standard) throws {
        self.catalogue = catalogue
        var template = Array("/tmp/server-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        path = String(cString: made) + "/data"
    }

    deinit { try? FileManager.default.removeItem(atPath: String(path.dropLast(5))) }

    /// Lends the log and the stored models, and closes them.
    package func serve<Value>(_ body: (LMDBEventLog, LMDBModelStore) throws -> Value) throws -> Value {
        let directory = try DataDirectory(path, for: .serving)
        let log = try LMDBEventLog(in: directory, now: Instant(milliseconds: 1))
        let store = try LMDBModelStore(
            in: directory, storeID: log.storeID, version: ModelVersion.current, tables: catalogue.tables)
        defer {
            store.close()
            log.close()
            directory.close()
        }
        return try body(log, store)
    }

    /// Writes events into the log, in one commit.
    package func write(_ events: [Event]) throws {
        try serve { log, _ in
            for event in events { try log.append(event) }
            try log.commit()
        }
    }

    /// Folds what is missing into the stored models and writes them down.
    package func foldAll() throws {
        try serve { log, store in
            let projector = ModelProjector(CataloguePlan(catalogue), store: store, json: JSONObjectReader())
            var failure: (any Error)?
            try log.scan(from: store.checkpointed.next, through: log.head, order: .ascending) { record in
                do { try projector.fold(record) } catch { failure = error }
                return failure == nil
            }
            if let failure { throw failure }
            try store.writeDown(at: log.head)
        }
    }
}

extension LMDBModelStore {
    /// A checkpoint, here and now.
    package func writeDown(at position: Position) throws {
        try freeze(at: position).run()
        try finish()
    }
}
