import StoryEtcd

/// The results of etcd that the loop was not given yet, in the order in which they came.
struct EtcdResultQueue {
    /// Each with the number of results before it.
    private var answers = FIFO<(number: UInt64, result: EtcdResult)>()
    private var changes = FIFO<(number: UInt64, result: EtcdResult)>()
    private var number: UInt64 = 0

    /// The number of results.
    var count: Int { answers.count + changes.count }

    /// Returns true where `next` has a result.
    func hasNext(arePaused: Bool) -> Bool { answers.count > 0 || !arePaused && changes.count > 0 }

    mutating func append(_ result: EtcdResult) {
        number += 1
        switch result {
        case .answered: answers.append((number, result))
        case .watched, .watchEnded: changes.append((number, result))
        case .connectionFailed: break
        }
    }

    /// Takes out the first result; nil when there is none.
    ///
    /// - Parameter arePaused: true where the results of watches have to wait.
    mutating func next(arePaused: Bool) -> EtcdResult? {
        guard !arePaused, let change = changes.first, change.number < answers.first?.number ?? .max else {
            return answers.next()?.result
        }
        return changes.next()?.result
    }
}
