import Glibc

/// The limit of open files, which bounds the number of connections.
enum FileLimit {
    /// The descriptors that the store, its threads and connections about to be refused need in addition.
    private static let others = 64

    /// Raises the limit to fit the wanted connections, as far as the system permits.
    ///
    /// - Parameters:
    ///   - wanted: the number of connections.
    ///   - besides: further descriptors that are needed at times.
    ///   - whenFewer: receives the number of connections where fewer than the wanted ones fit.
    /// - Returns: the number of connections that fit.
    static func connections(atMost wanted: Int, besides: Int = 0, whenFewer: (Int) -> Void) -> Int {
        let others = others + besides
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        let needed = rlim_t(wanted + others)
        if limit.rlim_cur < needed {
            var raised = limit
            raised.rlim_cur = min(needed, limit.rlim_max)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        guard limit.rlim_cur < needed else { return wanted }
        let fewer = max(1, Int(clamping: limit.rlim_cur) - others)
        whenFewer(fewer)
        return fewer
    }
}
