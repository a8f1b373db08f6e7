@testable import StoryServer
import Testing

/// Memory goes back to the system once much of it is free again, and not over and over.
struct ConnectionMemoryTests {
    /// Whether it was given back at each of these looks, in MiB that connections held.
    private func isGivenBack(at looks: [Int]) -> [Bool] {
        var memory = ConnectionMemory()
        return looks.map { memory.isMostFree(beside: $0 << 20) }
    }

    @Test func `what many needed is given back once when most of it is free`() {
        #expect(isGivenBack(at: [60, 40, 30, 30, 0, 0]) == [false, false, true, false, true, false])
    }

    @Test func `a moment between two looks counts`() {
        var memory = ConnectionMemory()
        memory.saw(20 << 20)
        memory.saw(0)
        let isDue = memory.isMostFree(beside: 0)
        #expect(isDue)
    }

    @Test func `little is kept for those who come next`() {
        #expect(isGivenBack(at: [15, 0, 15, 0]) == [false, false, false, false])
    }
}
