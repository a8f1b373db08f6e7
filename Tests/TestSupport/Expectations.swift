import Foundation
package import Testing

/// Records an issue unless a condition holds, as the macro `#expect` does.
///
/// The compiler spends 20 ms on each of the macro's calls, which was a sixth of a build of all tests. The macro stays where a
/// condition is asynchronous, or an error is wanted. An issue shows the lines of the condition, and not the values in it:
/// those that matter stand in the comment. An error that the condition throws is an issue, and the test goes on.
///
/// - Parameter sourceLocation: the place that the issue is of; without it that of the call.
package func expect(
    _ condition: @autoclosure () throws -> Bool, _ comment: @autoclosure () -> String? = nil,
    sourceLocation: SourceLocation? = nil, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
) {
    let place = sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    do {
        guard try !condition() else { return }
        Issue.record(SourceText.comment(filePath, line, comment()), sourceLocation: place)
    } catch {
        Issue.record(error, comment().map { Comment(rawValue: $0) }, sourceLocation: place)
    }
}

/// Returns a value that has to be there, as the macro `#require` does.
///
/// - Throws: the macro's error, where there is none, which is an issue of the place whoever catches it; the error of the
///   expression.
package func require<Value>(
    _ value: @autoclosure () throws -> Value?, _ comment: @autoclosure () -> String? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
) throws -> Value {
    let value = try value()
    if let value { return value }
    let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return try #require(value, SourceText.comment(filePath, line, comment()), sourceLocation: place)
}

/// Ends a test unless a condition holds, as the macro `#require` does.
///
/// - Throws: the macro's error, which is an issue of the place whoever catches it; the error of the condition.
package func require(
    _ condition: @autoclosure () throws -> Bool, _ comment: @autoclosure () -> String? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
) throws {
    _ = try require(condition() ? true : nil, comment(), fileID: fileID, filePath: filePath, line: line, column: column)
}

/// The text of tests, as far as it is where it was compiled.
private enum SourceText {
    /// Returns the lines of a call, and the comment of it.
    static func comment(_ path: String, _ line: Int, _ comment: String?) -> Comment {
        Comment(rawValue: [call(path, line), comment].compactMap { $0 }.joined(separator: ": "))
    }

    /// Returns the lines of a call, from the one that it begins in to the one that closes its parentheses.
    private static func call(_ path: String, _ line: Int) -> String? {
        guard let file = FileManager.default.contents(atPath: path) else { return nil }
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else { return nil }
        var (depth, call) = (0, [String]())
        for line in lines[(line - 1)...].prefix(12) {
            call.append(line.trimmingCharacters(in: .whitespaces))
            depth += line.count { $0 == "(" } - line.count { $0 == ")" }
            if depth <= 0 { break }
        }
        return call.joined(separator: " ")
    }
}
