import Glibc

/// Hands elements from one thread to another, many at a time, and never more than a few batches ahead.
///
/// Unchecked: the filling batch belongs to the thread that adds; everything else is behind the mutex.
final class BatchQueue<Element: Sendable>: @unchecked Sendable {
    private static var batchSize: Int { 1_024 }
    private static var greatestAhead: Int { 8 }

    private var filling: [Element] = []
    private var batches: [[Element]] = []
    /// What was looked at: it goes back to the thread that made it, where letting go of it contends with nobody.
    private var spent: [[Element]] = []
    private var isEnded = false
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
        filling.reserveCapacity(BatchQueue.batchSize)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Called by the one thread that adds; waits while the other is too far behind.
    func add(_ element: Element) {
        filling.append(element)
        if filling.count == BatchQueue.batchSize { handOver(isLast: false) }
    }

    /// Nothing more will be added.
    func end() { handOver(isLast: true) }

    /// The next batch, in exchange for the one before; nil after the last one.
    func next(after batch: consuming [Element]) -> [Element]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        spent.append(batch)
        while batches.isEmpty, !isEnded { pthread_cond_wait(changed, mutex) }
        guard !batches.isEmpty else { return nil }
        pthread_cond_signal(changed)
        return batches.removeFirst()
    }

    private func handOver(isLast: Bool) {
        var returned: [[Element]] = []
        pthread_mutex_lock(mutex)
        while batches.count == BatchQueue.greatestAhead { pthread_cond_wait(changed, mutex) }
        if !filling.isEmpty { batches.append(filling) }
        isEnded = isLast
        swap(&returned, &spent)
        pthread_cond_signal(changed)
        pthread_mutex_unlock(mutex)
        filling = returned.popLast() ?? []
        filling.removeAll(keepingCapacity: true)
    }
}
