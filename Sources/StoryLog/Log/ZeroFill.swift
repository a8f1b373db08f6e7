import Glibc

/// Keeps written blocks ahead of the log's last page.
///
/// Overwriting blocks that are there already makes a sync a third faster than letting the file grow with each commit.
struct ZeroFill {
    /// Less than this ahead: the next step is due.
    private static let margin = 1 << 20

    /// A commit of so many bytes syncs no faster over zeros, and writing them costs as much again.
    private static let largeCommit = 1 << 18

    private let descriptor: Int32
    /// How many bytes are written at once; 0: none ever.
    private let step: Int
    private let zeros: UnsafeRawBufferPointer
    private var filled: Int
    private var used: Int

    init(_ environment: Environment, step: Int) {
        descriptor = environment.fileDescriptor
        self.step = step
        filled = environment.fileSize
        used = environment.usedBytes
        zeros = ZeroFill.pages(step)
    }

    /// Lets go of the memory; not used afterwards.
    func free() { Glibc.free(UnsafeMutableRawPointer(mutating: zeros.baseAddress)) }

    /// Called after a commit. Failing is harmless: the commits after it are only slower.
    mutating func ahead(of environment: Environment) {
        guard step > 0 else { return }
        let before = used
        used = environment.usedBytes
        guard used - before < ZeroFill.largeCommit else { return }
        guard filled - used < ZeroFill.margin else { return }
        // A large commit may have written past what was filled; nothing of it may be overwritten.
        let start = max(environment.fileSize, used)
        let count = pwrite(descriptor, zeros.baseAddress, zeros.count, off_t(start))
        filled = start + max(count, 0)
    }

    /// Memory that was never written costs no memory: the system maps it to one page of zeros.
    private static func pages(_ count: Int) -> UnsafeRawBufferPointer {
        let memory = count > 0 ? calloc(1, count) : nil
        return UnsafeRawBufferPointer(start: memory, count: memory == nil ? 0 : count)
    }
}
