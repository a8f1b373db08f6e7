import StoryCore
import StoryWire

/// A reader of request lines by the store's own rules, for runs without a daemon, and for checks before a line is sent.
final class LineReader {
    private static let lineLimit = Limits().line
    private let reader = RequestReader(lineLimit: LineReader.lineLimit, Kinds.table)

    /// Returns the reason why a line is not a request; nil for a request, and for a line that is too long to be read.
    func refusal(of line: [UInt8]) -> Failure? {
        guard line.count <= LineReader.lineLimit else { return nil }
        do throws(Failure) {
            try withRequest(line) { _ in }
            return nil
        } catch {
            return error
        }
    }

    /// Returns the selection of a `READ`.
    ///
    /// - Throws: the refusal that a store returns for it.
    func events(_ line: String) throws(CommandError) -> ReadQuery {
        var query: ReadQuery?
        do throws(Failure) {
            try withRequest(Array(line.utf8)) { if case .read(.read(let read)) = $0.action { query = read } }
        } catch {
            throw StoredData.told(error)
        }
        guard let query else { throw .usage("\(line) reads no events") }
        return query
    }

    private func withRequest(_ line: [UInt8], _ body: (borrowing Request) -> Void) throws(Failure) {
        let padded = line + [UInt8](repeating: 0, count: LineFramer.slack)
        let result: Result<Void, Failure> = padded.withUnsafeBytes { bytes in
            do throws(RefusedLine) {
                body(try reader.read(UnsafeRawBufferPointer(rebasing: bytes[..<line.count])))
                return .success(())
            } catch {
                return .failure(error.failure)
            }
        }
        try result.get()
    }
}
