import StoryStorage

/// The starter of the jobs beside the loop, each of which wakes the loop once it has ended.
struct JobStarter {
    var background = BackgroundStarter.niceThreads
    /// Wakes the loop; called on the thread that ran a job.
    let whenDone: @Sendable () -> Void

    func start<Value>(_ work: @escaping BackgroundJob<Value>.Work) -> BackgroundJob<Value> {
        BackgroundJob(on: background, work, whenDone: whenDone)
    }
}
