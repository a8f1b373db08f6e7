import CPage

/// The files of the page, which are part of the program.
enum PageFiles {
    /// A file, whose bytes are the program's and never change.
    private struct File: @unchecked Sendable {
        let name: String
        let bytes: UnsafeRawBufferPointer
        let tag: String
    }

    private static let files: [File] = (0..<cpg_count).map { index in
        let file = cpg_file_at(index)
        let bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.count)
        return File(name: String(cString: file.name), bytes: bytes, tag: "\"\(String(hash(bytes), radix: 16))\"")
    }

    /// Returns a file, or that the client has it already; no name is the page itself.
    static func answer(_ name: String, _ request: HTTPRequest) -> HTTPAnswer {
        let wanted = name.isEmpty ? "index.html" : name
        guard let file = files.first(where: { $0.name == wanted }) else {
            return .text("there is no /\(name.prefix(100)) here", status: .notFound)
        }
        let kept = [("ETag", file.tag), ("Cache-Control", "no-cache")]
        let known = request.values(of: "if-none-match").flatMap { $0.split(separator: ",") }
        guard !known.contains(where: { $0.drop { $0 == " " } == file.tag }) else {
            return HTTPAnswer(status: .notModified, headers: kept)
        }
        return HTTPAnswer(
            status: .ok, headers: kept + [("Content-Type", type(of: wanted))], body: .file(file.bytes))
    }

    private static func type(of name: String) -> String {
        if name.hasSuffix(".js") { return "text/javascript; charset=utf-8" }
        if name.hasSuffix(".css") { return "text/css; charset=utf-8" }
        if name.hasSuffix(".svg") { return "image/svg+xml" }
        return "text/html; charset=utf-8"
    }

    /// FNV-1a, of 64 bits: two versions of a file differ in it.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.reduce(14_695_981_039_346_656_037) {
            ($0 ^ UInt64($1)).multipliedReportingOverflow(by: 1_099_511_628_211).partialValue
        }
    }
}
