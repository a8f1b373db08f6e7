import CLMDB

/// The end of a process when a mapped file fails: one sentence on standard error, and exit code 5.
///
/// A page that has no block on a full disk, cannot be read, or is behind the end of a truncated file raises SIGBUS;
/// damage may lead to an address that is not mapped, and so to SIGSEGV. A report of Swift's runtime would have parts of
/// memory in it, and so parts of events.
package enum MapFaults {
    /// Installs a handler for these two signals, on every thread. Only the main thread has an alternate stack for it.
    ///
    /// - Parameter program: the name in front of the sentence.
    package static func endProcess(as program: StaticString) {
        clm_end_on_map_faults(UnsafeRawPointer(program.utf8Start).assumingMemoryBound(to: CChar.self))
    }
}
