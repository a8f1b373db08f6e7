import CLMDB

/// The end of a process that a map of a file fails: one sentence on standard error, and exit code 5.
///
/// A page that has no block on a full disk, cannot be read, or is behind the end of a file that was cut short, ends a
/// process by SIGBUS; damage may lead to memory that is not there, and so to SIGSEGV. A report of Swift's runtime would
/// have parts of memory in it, and so parts of events.
package enum MapFaults {
    /// Has these two signals end this process so. Each thread can; the main thread alone has a stack of its own for it.
    ///
    /// - Parameter program: the name in front of the sentence.
    package static func endProcess(as program: StaticString) {
        clm_end_on_map_faults(UnsafeRawPointer(program.utf8Start).assumingMemoryBound(to: CChar.self))
    }
}
