import Glibc

/// How many files the process may have open, which says how many clients can be connected.
enum FileLimit {
    /// What the store itself, its threads and whoever is told that there is no room need besides.
    private static let others = 64

    /// Raises the limit as far as these connections need it and the system lets it.
    ///
    /// - Parameter whenFewer: hears how many there can be, where that is fewer.
    /// - Returns: how many there can be.
    static func connections(atMost wanted: Int, whenFewer: (Int) -> Void) -> Int {
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
