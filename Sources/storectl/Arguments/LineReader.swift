import StoryCore
import StoryWire

/// A reader of request lines by the store's own rules, for where no store is asked, and before one is.
final class LineReader {
    private static let lineLimit = Limits().line
    private let reader = RequestReader(lineLimit: LineReader.lineLimit)

    /// Why a line is no request; nil where it is one, and for one that is too long, which is not read.
    func refusal(of line: [UInt8]) -> Failure? {
        guard line.count <= LineReader.lineLimit else { return nil }
        do throws(Failure) {
            try withRequest(line) { _ in }
            return nil
        } catch {
            return error
        }
    }

    /// The selection of a `READ`.
    ///
    /// - Throws: the refusal that a store gives it.
    func events(_ line: String) throws(CommandError) -> ReadQuery {
        var query: ReadQuery?
        do throws(Failure) {
            try withRequest(Array(line.utf8)) { if case .read(let read) = $0.action { query = read } }
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
