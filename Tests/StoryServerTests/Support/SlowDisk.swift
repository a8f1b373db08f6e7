import LoopSupport
import TestSupport

/// The loop over a disk whose commits end later than their turns, when the test says so.
struct SlowDisk {
    static let append = #"APPEND note-1 {"type":"A","data":{}}"#
    static let user = #"POST users {"id":"1","name":"A","email":"a@example.org","prefecture":1}"#

    /// A loop with the connections "writer" and "reader", and a user at position 2 whose commit has ended.
    static func bench() -> LoopBench {
        let bench = LoopBench()
        bench.connected("writer", "reader")
        bench.makeDiskSlow()
        bench.send(user, from: "writer")
        bench.endCommit()
        _ = bench.hear("writer")
        return bench
    }
}
