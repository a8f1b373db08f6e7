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

/// The search for the daemon's program.
enum StoreProgram {
    /// Returns the path of `stored`: as given, else in the folder `STORYKEEP_BIN`, else in `PATH`.
    ///
    /// - Throws: `StoreStartError.noProgram` with every path that was tried.
    static func find(
        _ explicit: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(StoreStartError) -> String {
        let paths = candidates(explicit, environment)
        guard let path = paths.first(where: { access($0, X_OK) == 0 }) else { throw .noProgram(paths: paths) }
        return path
    }

    private static func candidates(_ explicit: String?, _ environment: [String: String]) -> [String] {
        if let explicit { return [explicit] }
        let folders =
            [environment["STORYKEEP_BIN"]] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.compactMap { $0 }.filter { !$0.isEmpty }.map { $0 + "/stored" }
    }
}
