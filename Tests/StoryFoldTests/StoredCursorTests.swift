import StoryCore
import TestSupport
import Testing

@testable import StoryFold

/// The stored form of a cursor.
struct StoredCursorTests {
    @Test(arguments: [0, 1, 2, 64, 255] as [UInt8])
    func `a cursor has the shares that it was made with, and none once dropped`(number: UInt8) {
        let log = LogID(trusted: [0x31])
        var cursor = StoredCursor(at: Position(7), definedAt: Position(9), shareCount: 2, log: log, data: [])
        expect(cursor.share(number)?.at == (1...2 ~= number ? Position(7) : nil))
        cursor.shares = []
        expect(cursor.isDropped && cursor.share(number) == nil && cursor.nearest == .zero)
        cursor.change(number, parked: 1, through: Position(8))
        expect(cursor.shares.isEmpty)
    }
}
