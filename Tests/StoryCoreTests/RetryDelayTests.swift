import StoryCore
import TestSupport
import Testing

/// The delays between the tries to reach a program.
@Suite struct RetryDelayTests {
    @Test(arguments: [
        (first: UInt64(1), most: UInt64(30), delays: [UInt64]([1, 2, 4, 8, 16, 30, 30])),
        (first: 0, most: 8, delays: [0, 1, 2, 4, 8, 8]),
        (first: 0, most: 10, delays: [0, 1, 2, 4, 8, 10, 10]),
    ])
    func `a delay doubles with each failure, up to its limit, until it is reset`(
        first: UInt64, most: UInt64, delays: [UInt64]
    ) {
        var delay = RetryDelay(first: first, most: most)
        expect(delays.map { _ in delay.failed() } == delays)
        delay.reset()
        expect(delays.map { _ in delay.failed() } == delays)
        for _ in 0..<1_000 { _ = delay.failed() }
        expect(delay.failed() == most)
    }
}
