import StoryCore
import StoryEngine
import StoryReactor
@testable import StoryServer
import TestSupport
import Testing

struct FairQueueTests {
    private let touched = TouchedConnections()

    private func connection() -> Connection {
        Connection(
            id: ConnectionID(1), peer: Peer(uid: 1_000, role: .read), limits: Limits(), touched: touched)
    }

    @Test func `a share is taken out of the turn's work, and what is left of it comes back`() {
        var queue = FairQueue(.requests)
        var left = FairQueue.turn
        while left > .zero {
            let share = queue.takeShare()
            expect(share == min(FairQueue.share, left))
            queue.giveBack(share - 10 * .line)
            left -= 10 * .line + .key
        }
        queue.add(connection(), hadShare: false)
        expect(queue.next() == nil)
        queue.turnEnded()
        expect(queue.next() != nil)
    }

    @Test func `an overdrawn share is paid for by the turn`() {
        var queue = FairQueue(.requests)
        queue.add(connection(), hadShare: false)
        queue.giveBack(queue.takeShare() - FairQueue.turn)
        expect(queue.next() == nil)
    }

    @Test func `where many wait, shares are cut as far as the queue permits`() {
        for (count, share) in [(0, 250), (64, 250), (128, 125), (256, 62), (1_000, 32)] {
            var (cut, whole) = (FairQueue(.requests, leastShare: 4 * .line), FairQueue(.publishing))
            for _ in 0..<count {
                cut.add(connection(), hadShare: false)
                whole.add(connection(), hadShare: false)
            }
            expect(cut.takeShare().nanoseconds / 1_000 == share)
            expect(whole.takeShare() == FairQueue.share)
        }
    }

    @Test func `the last share of a turn is for those that had one before`() {
        var queue = FairQueue(.requests)
        let (rested, served) = (connection(), connection())
        queue.add(served, hadShare: true)
        expect(queue.wouldBeNext(rested))
        queue.add(rested, hadShare: false)
        expect(!queue.wouldBeNext(connection()))
        expect(queue.next() === rested)
        queue.add(rested, hadShare: false)
        queue.giveBack(queue.takeShare() - 7 * FairQueue.share)
        expect(!queue.wouldBeNext(rested))
        expect(queue.next() === served)
        expect(queue.next() === rested)
        expect(queue.next() == nil)
    }

    @Test func `work that is reserved is not shared out`() {
        var queue = FairQueue(.requests)
        let reserve = FairQueue.turn - 3 * .line
        expect(queue.takeShare(except: reserve) == 3 * .line)
        queue.giveBack(.zero)
        expect(queue.takeShare(except: reserve) < .zero)
    }
}
