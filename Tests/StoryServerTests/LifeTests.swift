import StoryCluster
import StoryCore
import StoryEngine
@testable import StoryServer
import TestSupport
import Testing

/// The life of the process: each state, with each input that it takes and each that it refuses.
struct LifeTests {
    private static let disk = Life.End.storageFailed(.failed("EIO"))
    private static let fault = Life.End.cannotFollow(.sealsDiffer("/s", at: Position(1)))
    private static let removed = Life.End.isNoNode(.removed)

    private static let handingOver = Life.State.handingOver(signal: 15, until: 120)
    private static let draining = Life.State.draining(until: 150)
    private static let ends: [Life.State] = [.ended(disk), .ended(fault), .ended(removed), .ended(.asked)]
    private static let states = [.starting, .serving, handingOver, draining] + ends

    /// Makes a life that has come to a state, by tick 100.
    private static func life(in state: Life.State) -> Life {
        let life = Life()
        switch state {
        case .starting: break
        case .serving: life.began()
        case .handingOver, .draining:
            life.began()
            _ = life.endRequested(by: 15, at: 100, handingOverFor: state == handingOver ? 20 : nil)
        case .ended(let end):
            life.began()
            _ = life.ended(end)
        }
        return life
    }

    /// Gives an input to a life in each state; returns the states after it of those that it changes, in their order.
    private func changes<Answer: Equatable>(
        _ refusal: Answer, _ input: (Life) -> Answer
    ) -> [(before: Life.State, after: Life.State, answer: Answer)] {
        LifeTests.states.compactMap { state in
            let life = LifeTests.life(in: state)
            let answer = input(life)
            guard life.state != state else {
                expect(answer == refusal, "\(state) stays, and answers \(answer)")
                return nil
            }
            return (state, life.state, answer)
        }
    }

    @Test func `each state is reached`() {
        for state in LifeTests.states { expect(LifeTests.life(in: state).state == state) }
    }

    @Test func `it serves once the start is over, and never again`() {
        let found = changes(true) { life in
            life.began()
            return true
        }
        expect(found.map(\.before) == [.starting] && found.map(\.after) == [.serving])
    }

    @Test func `the first signal drains a store that serves, and any other stops it`() {
        let found = changes(.stop) { $0.endRequested(by: 2, at: 100, handingOverFor: nil) }
        expect(found.map(\.before) == [.serving] && found.map(\.answer) == [.drain])
        expect(found.map(\.after) == [.draining(until: 100 + Life.drainTicks)])
    }

    @Test func `the first signal has a node that serves hand over, and any other stops it`() {
        let found = changes(.stop) { $0.endRequested(by: 2, at: 100, handingOverFor: 20) }
        expect(found.map(\.before) == [.serving] && found.map(\.answer) == [.handOver])
        expect(found.map(\.after) == [.handingOver(signal: 2, until: 120)])
    }

    @Test func `a hand-over that has ended is waited for no longer, nor is one that takes too long`() {
        let found = changes(true) { life in
            life.handedOver(at: 105)
            return true
        }
        expect(found.map(\.before) == [LifeTests.handingOver])
        expect(found.map(\.after) == [.handingOver(signal: 15, until: 105)])
        let late = LifeTests.life(in: LifeTests.handingOver)
        late.handedOver(at: 130)
        expect(late.state == LifeTests.handingOver, "its time was over before")
        expect(changes(nil) { $0.drainIfDue(at: 119) }.isEmpty)
        let drained = changes(nil) { $0.drainIfDue(at: 120) }
        expect(drained.map(\.before) == [LifeTests.handingOver] && drained.map(\.answer) == [15])
        expect(drained.map(\.after) == [.draining(until: 120 + Life.drainTicks)])
    }

    @Test func `it ends for the first reason, but for storage that fails after it`() {
        for end in [LifeTests.fault, LifeTests.removed, .asked] {
            let found = changes(false) { $0.ended(end) }
            expect(found.map(\.before) == Array(LifeTests.states.prefix(4)), "\(end)")
            expect(found.allSatisfy { $0.after == .ended(end) && $0.answer })
        }
        let failed = changes(false) { $0.ended(LifeTests.disk) }
        expect(failed.map(\.before) == LifeTests.states.filter { $0 != .ended(LifeTests.disk) })
        expect(failed.allSatisfy { $0.after == .ended(LifeTests.disk) && $0.answer })
        let again = LifeTests.life(in: .ended(LifeTests.disk))
        expect(!again.ended(.storageFailed(.failed("ENOSPC"))) && again.end == LifeTests.disk)
    }

    @Test func `each question has one answer in each state`() {
        func states(_ isSo: (Life) -> Bool) -> [Life.State] {
            LifeTests.states.filter { isSo(LifeTests.life(in: $0)) }
        }
        expect(states(\.isServing) == [.serving])
        expect(states(\.isAskedToEnd) == [LifeTests.handingOver, LifeTests.draining])
        expect(states(\.isEnding) == [LifeTests.draining] + LifeTests.ends)
        expect(states(\.hasEnded) == LifeTests.ends && states { $0.end != nil } == LifeTests.ends)
        expect(states(\.hasFailed) == [.ended(LifeTests.disk)])
        expect(states { $0.isDrained(at: 149, hasClients: true) } == [])
        expect(states { $0.isDrained(at: 150, hasClients: true) } == [LifeTests.draining])
        expect(states { $0.isDrained(at: 100, hasClients: false) } == [LifeTests.draining])
        expect(LifeTests.ends.map { LifeTests.life(in: $0).end?.exitCode } == [5, 5, 2, 0])
    }
}
