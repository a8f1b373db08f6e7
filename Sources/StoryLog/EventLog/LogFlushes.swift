import StoryStorage
package import StoryCore

/// Putting into blocks what the journal holds.
extension LMDBEventLog {
    package var isFlushing: Bool { flushing != nil }

    package func startFlush() {
        guard let full = memory.lastFull else { return }
        start(through: min(full, committed.value))
    }

    package func startFlush(through position: Position) {
        precondition(position <= committed, "Only what is committed is put into blocks.")
        guard position > flushed else { return }
        // Whole blocks alone, where they reach that far.
        let full = min(memory.lastFull ?? 0, committed.value)
        start(through: full >= position.value ? full : committed.value)
    }

    package func pollFlush() throws(StorageError) {
        if let fatal { throw fatal }
        guard let job = flushing, let result = job.result else { return }
        if let error = finish(job, result) { throw error }
    }

    package func flush() throws(StorageError) {
        if let fatal { throw fatal }
        try waitForFlush()
        let sections = memory.sections(from: 1, through: committed.value)
        guard !sections.isEmpty, access == .serving else { return }
        let job = FlushJob(sections, after: seal, store)
        flushing = job
        job.run()
        if let error = finish(job, job.wait()) { throw error }
    }

    /// Waits for the flush that is under way; one that found no room is tried again by whoever waits.
    func waitForFlush() throws(StorageError) {
        guard let job = flushing else { return }
        if let error = finish(job, job.wait()), fatal != nil { throw error }
    }

    /// Flushes once there are full blocks for all that the other half of the journal holds.
    func flushIfWaiting() {
        guard let journal, flushing == nil, flushRefusal == nil, flushed < journal.waiting,
            let full = memory.lastFull, full >= journal.waiting.value
        else { return }
        start(through: min(full, committed.value))
    }

    /// Takes over what a flush has stored; returns why it could not.
    @discardableResult
    func finish(_ job: FlushJob, _ result: Result<Seal, StorageError>) -> StorageError? {
        precondition(readings == 0, "Nothing moves while the log is being read.")
        flushing = nil
        switch result {
        case .failure(let error):
            flushRefusal = error
            return noted(error)
        case .success(let last):
            flushRefusal = nil
            seal = last
            flushed = job.through
            map.append(job.firsts, through: job.through.value)
            memory.flushed(through: job.through)
            return nil
        }
    }

    private var store: BlockStore { BlockStore(environment: environment, hasher: hasher) }

    func start(through position: UInt64) {
        guard flushing == nil, fatal == nil, committing.map({ !$0.isInBlocks }) ?? true else { return }
        let sections = memory.sections(from: 1, through: position)
        guard !sections.isEmpty else { return }
        let job = FlushJob(sections, after: seal, store)
        flushing = job
        job.start(whenDone: whenFlushed)
    }
}
