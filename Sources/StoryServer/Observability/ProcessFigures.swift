import Glibc

/// The kernel's figures of this process; nil where it does not tell them, since `/proc` is not mounted.
struct ProcessFigures {
    /// The resident bytes that are not mapped from files.
    let anonymousBytes: UInt64?
    /// The resident bytes, maps of files included.
    let residentBytes: UInt64?

    init() {
        let status = ProcessFigures.status()
        anonymousBytes = ProcessFigures.kilobytes("RssAnon:", in: status).map { $0 * 1_024 }
        residentBytes = ProcessFigures.kilobytes("VmRSS:", in: status).map { $0 * 1_024 }
    }

    /// The processor time of all threads in seconds, user and system time together.
    var processorSeconds: Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    var mostDescriptors: UInt64 {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return UInt64(limit.rlim_cur)
    }

    /// The number of open descriptors: the size of the directory on newer kernels, else the count of its entries.
    var openDescriptors: UInt64? {
        var folder = stat()
        if stat("/proc/self/fd", &folder) == 0, folder.st_size > 0 { return UInt64(folder.st_size) }
        guard let entries = opendir("/proc/self/fd") else { return nil }
        defer { closedir(entries) }
        var count: UInt64 = 0
        while readdir(entries) != nil { count += 1 }
        // The entries `.`, `..`, and the descriptor that the directory is read through.
        return count > 3 ? count - 3 : 0
    }

    private static func status() -> [UInt8] {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return [UInt8](unsafeUninitializedCapacity: 8_192) { memory, count in
            count = max(0, read(file, memory.baseAddress, 8_192))
        }
    }

    /// Returns the number of a line `NAME   N kB`; nil where there is no such line.
    private static func kilobytes(_ name: StaticString, in status: [UInt8]) -> UInt64? {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        for line in status.split(separator: 0x0A) where line.starts(with: name) {
            return line.reduce(0) { 0x30...0x39 ~= $1 ? $0 * 10 + UInt64($1 - 0x30) : $0 }
        }
        return nil
    }
}
