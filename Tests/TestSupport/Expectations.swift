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
        let text = [SourceText.call(filePath, line), comment()].compactMap { $0 }
        Issue.record(Comment(rawValue: text.joined(separator: ": ")), sourceLocation: place)
    } catch {
        Issue.record(error, comment().map { Comment(rawValue: $0) }, sourceLocation: place)
    }
}

/// Returns a value that has to be there, as the macro `#require` does.
///
/// - Throws: an error that names the place, where there is none; the error of the expression.
package func require<Value>(
    _ value: @autoclosure () throws -> Value?, _ comment: @autoclosure () -> String? = nil, file: String = #fileID,
    filePath: String = #filePath, line: Int = #line
) throws -> Value {
    if let value = try value() { return value }
    throw NotThere(file, line, SourceText.call(filePath, line), comment())
}

/// Ends a test unless a condition holds, as the macro `#require` does.
///
/// - Throws: an error that names the place; the error of the condition.
package func require(
    _ condition: @autoclosure () throws -> Bool, _ comment: @autoclosure () -> String? = nil, file: String = #fileID,
    filePath: String = #filePath, line: Int = #line
) throws {
    guard try !condition() else { return }
    throw NotThere(file, line, SourceText.call(filePath, line), comment())
}

/// The error of a test that cannot go on.
private struct NotThere: Error, CustomStringConvertible {
    let description: String

    init(_ file: String, _ line: Int, _ text: String?, _ comment: String?) {
        description = ["\(file):\(line)", text, comment].compactMap { $0 }.joined(separator: ": ")
    }
}

/// The text of tests, as far as it is where it was compiled.
private enum SourceText {
    /// Returns the lines of a call, from the one that it begins in to the one that closes its parentheses.
    static func call(_ path: String, _ line: Int) -> String? {
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
