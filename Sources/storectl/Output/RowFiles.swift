import Glibc
import StoryClient
import StoryCore
import StoryStorage

/// The writer of replayed rows into files of JSON lines: one for each kind, in the order of dates, one for each declared
/// model, in the order in which rows were made, and one for streams.
///
/// The directory gets its name when it is complete.
struct RowFiles {
    private static let pageCount = 1_000

    private let path: String
    private let answerer: Answerer
    private let interruption: Int32
    private var written: [String] = []

    /// Folds the data directory's log.
    ///
    /// - Parameters:
    ///   - path: the directory to create.
    ///   - data: the data directory to read.
    ///   - last: the position where the fold ends.
    /// - Throws: the reason why the data cannot be read.
    init(_ path: String, of data: String, through last: Position, _ invocation: Invocation) throws(CommandError) {
        self.path = path
        interruption = invocation.interruption
        answerer = try Answerer(reading: data, through: last)
    }

    /// Writes a file for each of these models that has rows or streams to show.
    ///
    /// - Throws: the error of writing; no file is left then.
    mutating func write(_ models: [String]) throws(CommandError) {
        let folder = try StoredData.used { () throws(StorageError) in
            let folder = try NewFolder(path)
            try Folder.make(folder.draft, mustBeNew: true)
            return folder
        }
        do throws(CommandError) {
            for kind in Kinds.names where models.contains(kind) {
                try write(kind, "LIST \(kind) sort=date order=asc", in: folder.draft)
            }
            if models.contains("streams") { try write("streams", "STREAMS", in: folder.draft) }
            for model in models where !Catalogue.standard.models.contains(model) {
                try write(model, "LIST \(model) order=asc", in: folder.draft)
            }
            try StoredData.used { () throws(StorageError) in try folder.publish() }
        } catch {
            for file in written { unlink(file) }
            rmdir(folder.draft)
            throw error
        }
    }

    private mutating func write(_ name: String, _ query: String, in folder: String) throws(CommandError) {
        let file = "\(folder)/\(name).ndjson"
        guard let stream = fopen(file, "wx") else { throw RowFiles.failure(file) }
        written.append(file)
        defer { fclose(stream) }
        let progress = Progress("writing \(name)", "rows")
        var count: UInt64 = 0
        var next: String?
        repeat {
            if Interruption.came(within: .zero, on: interruption) { throw .silent(.interrupted) }
            let reply = try answerer.ask("\(query) limit=\(RowFiles.pageCount)" + (next.map { " after=\($0)" } ?? ""))
            for row in reply.rows {
                let line = row.json + [0x0A]
                guard fwrite(line, 1, line.count, stream) == line.count else { throw RowFiles.failure(file) }
            }
            count += UInt64(reply.rows.count)
            progress.show(count, of: nil)
            next = ShownJSON(reply.final.json)?.members["next"]?.text
        } while next != nil
        guard fflush(stream) == 0, fsync(fileno(stream)) == 0 else { throw RowFiles.failure(file) }
    }

    private static func failure(_ file: String) -> CommandError { .unwritable(file, errno) }
}
