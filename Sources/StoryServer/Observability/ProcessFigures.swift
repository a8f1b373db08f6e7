import Glibc

/// The figures that the kernel has of this process; 0 where it does not tell.
struct ProcessFigures {
    /// Bytes that are not the file map.
    let anonymousBytes: UInt64
    /// Bytes that are resident, file maps included.
    let residentBytes: UInt64

    init() {
        let status = ProcessFigures.status()
        anonymousBytes = ProcessFigures.kilobytes("RssAnon:", in: status) * 1_024
        residentBytes = ProcessFigures.kilobytes("VmRSS:", in: status) * 1_024
    }

    /// Processor time of all threads, in the program and for it in the kernel.
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

    /// Newer kernels tell the number as the size of the folder; on older ones its entries are counted.
    var openDescriptors: UInt64 {
        var folder = stat()
        if stat("/proc/self/fd", &folder) == 0, folder.st_size > 0 { return UInt64(folder.st_size) }
        guard let entries = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(entries) }
        var count: UInt64 = 0
        while readdir(entries) != nil { count += 1 }
        // The folder itself, the one above it, and the descriptor that it is read through.
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

    /// The number of a line `NAME   N kB`.
    private static func kilobytes(_ name: StaticString, in status: [UInt8]) -> UInt64 {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        for line in status.split(separator: 0x0A) where line.starts(with: name) {
            return line.reduce(0) { 0x30...0x39 ~= $1 ? $0 * 10 + UInt64($1 - 0x30) : $0 }
        }
        return 0
    }
}
