import CHiredis
import Glibc

/// Many connections watched by one thread.
final class Links {
    private(set) var all: [Link]
    private let watch = epoll_create1(0)
    private var isWatchedForRoom: [Bool]
    private var ready: [epoll_event]

    init(_ links: [Link]) {
        all = links
        isWatchedForRoom = Array(repeating: false, count: links.count)
        ready = Array(repeating: epoll_event(), count: min(links.count, 512))
        for index in links.indices { control(EPOLL_CTL_ADD, index, EPOLLIN.rawValue) }
    }

    deinit { close(watch) }

    /// Waits for the links that something came on or that can take more; at most so many milliseconds.
    func turn(_ milliseconds: Int32 = 1_000, _ take: (Int, Link) -> Void) {
        let count = epoll_wait(watch, &ready, Int32(ready.count), milliseconds)
        guard count > 0 else { return }
        for entry in ready[..<Int(count)] {
            let index = Int(entry.data.u32)
            take(index, all[index])
            settle(index)
        }
    }

    /// Asks to be told when there is room, as long as something waits to be sent.
    func settle(_ index: Int) {
        let link = all[index]
        link.flush()
        guard link.hasOutput != isWatchedForRoom[index] else { return }
        isWatchedForRoom[index] = link.hasOutput
        control(EPOLL_CTL_MOD, index, EPOLLIN.rawValue | (link.hasOutput ? EPOLLOUT.rawValue : 0))
    }

    private func control(_ what: Int32, _ index: Int, _ events: UInt32) {
        var event = epoll_event()
        event.events = events
        event.data.u32 = UInt32(index)
        epoll_ctl(watch, what, all[index].descriptor, &event)
    }
}
