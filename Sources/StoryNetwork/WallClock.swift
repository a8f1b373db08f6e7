import Glibc

/// The wall clock, by which certificates expire.
package enum WallClock {
    /// The seconds since 1970.
    package static var seconds: Int {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec
    }
}
