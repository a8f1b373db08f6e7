import Glibc
import StoryClient
import StoryCore
import StoryOffline

/// The cases of models: their test without a daemon, and the recording of one.
struct ModelCases {
    let invocation: Invocation

    // MARK: Test

    /// Folds the cases of a file, and prints the differences from the results that they expect.
    func test(_ file: String) throws(CommandError) -> ExitCode {
        let bytes = try InputFile.read(file)
        let cases = try told(file) { () throws(ModelCase.Unreadable) in
            try ModelCase.read(bytes) { (path) throws(ModelCase.Unreadable) in try definition(path, besides: file) }
        }
        var found: [ModelCase.Difference] = []
        for one in cases {
            found += try told(file) { () throws(ModelCase.Unreadable) in try one.differences() }
        }
        for difference in found { try invocation.output.line(line(difference)) }
        let json = #"{"cases":\#(cases.count),"differences":\#(found.count)}"#
        let sentence = "\(Grouped.count(cases.count, "case")), \(Grouped.count(found.count, "difference"))"
        try invocation.output.line(invocation.isJSON ? json : sentence)
        return found.isEmpty ? .done : .no
    }

    /// Returns the text of a file, whose path may be relative to that of the cases.
    private func definition(_ path: String, besides cases: String) throws(ModelCase.Unreadable) -> String {
        let folder = cases.lastIndex(of: "/").map { String(cases[...$0]) } ?? ""
        let place = path.hasPrefix("/") ? path : folder + path
        let bytes: [UInt8]
        do throws(CommandError) { bytes = try InputFile.read(place) } catch {
            if case .system(let reason) = error { throw ModelCase.Unreadable(reason: reason) }
            throw ModelCase.Unreadable(reason: "\(place) cannot be read")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ModelCase.Unreadable(reason: "\(place) is not UTF-8")
        }
        return text
    }

    private func line(_ difference: ModelCase.Difference) -> String {
        let (name, subject) = (difference.name, difference.subject)
        guard invocation.isJSON else {
            return "\(name): \(subject)\n  is  \(difference.result)\n  not \(difference.expected)"
        }
        let texts = [("case", name), ("subject", subject), ("is", difference.result), ("not", difference.expected)]
        return "{" + texts.map { "\"\($0.0)\":" + JSONText.quoted($0.1) }.joined(separator: ",") + "}"
    }

    // MARK: Record

    /// Prints a case of the events that a row of a served model is made of.
    func record(_ model: String, _ id: String) throws(CommandError) -> ExitCode {
        let (store, name) = (Answerer(try invocation.connect()), "\(model)/\(id)")
        let served = try store.ask(RequestLine("GET", name).text).final.json
        let described = try store.ask(RequestLine("MODELS", model).text)
        let text = described.rows.first.flatMap { ShownJSON($0.json) }?.members["text"]?.plain ?? ""
        let recording = try told(name) { () throws(ModelCase.Unreadable) in try CaseRecording(text, row: id) }
        if recording.onlyStream == nil {
            try read("events", store) { (event) throws(CommandError) in
                try told(name) { () throws(ModelCase.Unreadable) in try recording.see(event) }
            }
        }
        var events: [(position: UInt64, json: [UInt8])] = []
        for stream in recording.onlyStream.map({ [$0] }) ?? recording.streams {
            try read("events/\(stream)", store) { (event) throws(CommandError) in
                events.append((ShownJSON(event)?.members["position"]?.whole ?? 0, event))
                let limit = CaseRecording.mostEvents
                if events.count > limit { throw .system("\(name) has more than \(limit) events; take another row") }
            }
        }
        events.sort { $0.position < $1.position }
        let recorded = try told(name) { () throws(ModelCase.Unreadable) in
            try recording.text(name, events.map(\.json), making: served)
        }
        try invocation.output.line(recorded)
        return .done
    }

    /// Reads all events of a target, page after page.
    private func read(
        _ target: String, _ store: Answerer, _ each: ([UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        var from: String?
        while true {
            var request = RequestLine("READ", target)
            if let from { request.add("from", from) }
            request.add("limit", String(ReadQuery.maxLimit))
            let reply = try store.ask(request.text)
            for row in reply.rows { try each(row.json) }
            guard let next = ShownJSON(reply.final.json)?.members["next"]?.shown, next != from else { return }
            from = next
        }
    }

    private func told<Result>(
        _ place: String, _ body: () throws(ModelCase.Unreadable) -> Result
    ) throws(CommandError) -> Result {
        do throws(ModelCase.Unreadable) { return try body() } catch { throw .system("\(place): \(error.reason)") }
    }
}

/// A file that a command line names and that is read as a whole.
enum InputFile {
    /// The longest file, in bytes.
    private static let maxCount = 67_108_864

    /// Returns the bytes of a file; `-` is standard input.
    ///
    /// - Throws: when the file cannot be read, or is too long.
    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= maxCount {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            guard count > 0 || errno == EINTR else { throw unreadable(path) }
            bytes += chunk.prefix(max(count, 0))
        }
        throw .system("\(path) is longer than \(maxCount) bytes")
    }

    private static func unreadable(_ path: String) -> CommandError {
        .system("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
}
