import Foundation
import Glibc
import Synchronization

/// Looks at a server's memory again and again, on a thread of its own, and keeps the most.
///
/// What its thread writes is read only after the thread has ended, and the flag is atomic.
final class MemoryWatch: @unchecked Sendable {
    private let server: Service
    private var most = 0.0
    private let isOver = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ server: Service) {
        self.server = server
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .relaxed) {
                look()
                usleep(20_000)
            }
            ended.signal()
        }
    }

    /// Ends it and returns the most that it saw, in MiB.
    func finish() -> Double {
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        look()
        return most
    }

    private func look() { most = max(most, server.anonymousMebibytes) }
}
