package import StoryStorage
import Synchronization

/// Work beside the loop that is done when the test says so, in the order that it says.
package final class HeldBackground: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    package init() {}

    /// What the shipped code is given.
    package var background: BackgroundStarter {
        BackgroundStarter { body in
            self.waiting.withLock { $0.append(body) }
            return true
        }
    }

    /// How many pieces wait.
    package var count: Int { waiting.withLock { $0.count } }

    /// Does one of them.
    package func run(_ index: Int) {
        let body = waiting.withLock { $0.remove(at: index) }
        body()
    }

    /// Does none of them, ever.
    package func drop() { waiting.withLock { $0 = [] } }
}
