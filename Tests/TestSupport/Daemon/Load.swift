/// Requests by the heap.
package enum Load {
    /// An `APPEND` of so many events with so many bytes of text each.
    package static func append(to stream: String, count: Int, size: Int) -> String {
        let event = #"{"type":"Wrote","data":{"text":"\#(String(repeating: "x", count: size))"}}"#
        return "APPEND \(stream) [\(Array(repeating: event, count: count).joined(separator: ","))]"
    }
}
