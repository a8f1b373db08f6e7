@testable import StoryServer
import TestSupport
import Testing

/// Memory goes back to the system once much of it is free again, and not over and over.
struct FreedMemoryTests {
    /// Whether it was given back at each of these looks, in MiB that connections held.
    private func isGivenBack(at looks: [Int]) -> [Bool] {
        var memory = FreedMemory()
        return looks.map { memory.isMostFree(beside: $0 << 20) }
    }

    @Test func `what many needed is given back once when most of it is free`() {
        expect(isGivenBack(at: [60, 40, 30, 30, 0, 0]) == [false, false, true, false, true, false])
    }

    @Test func `a moment between two looks counts`() {
        var memory = FreedMemory()
        memory.saw(20 << 20)
        memory.saw(0)
        let isDue = memory.isMostFree(beside: 0)
        expect(isDue)
    }

    @Test func `what models gave up is given back once it is much`() {
        var memory = FreedMemory()
        let isDue = (0..<5).map { _ in
            memory.modelsGaveUp(6 << 20)
            return memory.isMostFree(beside: 0)
        }
        expect(isDue == [false, false, true, false, false])
    }

    @Test func `little is kept for those who come next`() {
        expect(isGivenBack(at: [15, 0, 15, 0]) == [false, false, false, false])
    }
}
