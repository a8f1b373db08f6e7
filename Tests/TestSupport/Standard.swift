import StoryCore
package import StoryWire

/// Requests and replies over the built-in kinds, for tests that look at nothing else.
extension RequestTable {
    package static let standard: RequestTable = {
        do throws(SchemaError) { return try RequestTable(.standard) } catch { preconditionFailure("\(error)") }
    }()
}

extension RowJSONEncoder {
    package static var standard: RowJSONEncoder { RowJSONEncoder(.standard) }
}

extension ReplyEncoder {
    package static var standard: ReplyEncoder { ReplyEncoder(rows: .standard) }
}
