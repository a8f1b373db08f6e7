#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The folder of a temporary store, for this user alone.
struct TemporaryFolder: Sendable {
    let path: String

    /// Makes a folder in `TMPDIR`, or in `/tmp` where that is absent or too long for a socket's path.
    ///
    /// - Throws: `StoreStartError.system`.
    init() throws(StoreStartError) {
        let name = "/storykeep-XXXXXX"
        let wished = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        let isUsable = wished.hasPrefix("/") && (wished + name + "/s").utf8.count <= Platform.longestPath
        var template = Array(((isUsable ? wished : "/tmp") + name).utf8CString)
        guard mkdtemp(&template) != nil else { throw .system(call: "mkdtemp", reason: reason(errno)) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    var data: String { path + "/data" }
    var socket: String { path + "/s" }
    var trace: String { path + "/trace" }

    /// The last line that the daemon printed; empty where it printed none.
    var lastTraceLine: String {
        let text = String(decoding: FileManager.default.contents(atPath: trace) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").last.map(String.init) ?? ""
    }
}
