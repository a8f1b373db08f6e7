import StoryCore
import Testing
import TestSupport

/// What each kind's schema says of its writes, beside what its commands take.
struct ContentWriteTests {
    private static let options = WriteOptions()

    private func writes(_ kind: Kind) -> [RequestAction] {
        [
            .edit(kind, "1".id, [], ContentWriteTests.options), .like(kind, "1".id, [], ContentWriteTests.options),
            .unlike(kind, "1".id, [], ContentWriteTests.options), .see(kind, "1".id, ContentWriteTests.options),
            .delete(kind, "1".id, ContentWriteTests.options),
        ]
    }

    private func code(_ request: RequestAction) -> ErrorCode? {
        guard case .write(.content(let write)) = request else { return nil }
        guard case .failure(let failure) = write.command(of: write.kind.schema, in: TrustingDirectory()) else {
            return nil
        }
        return failure.code
    }

    @Test(arguments: Kind.allCases) func `a kind takes the verbs that its schema names, and POST`(kind: Kind) throws {
        for request in writes(kind) {
            let isTaken = code(request) != .unknown
            let verbs = kind.schema.verbs.map { Verb.write($0) }
            #expect(isTaken == verbs.contains(request.verb), "\(kind.name) \(request.verb)")
        }
        #expect(code(.post(kind, [], ContentWriteTests.options)) == .invalid)
    }
}
