package import StoryCore

extension Event {
    /// Lends the event's record as a log does.
    package func withRecord<Result>(_ body: (EventRecord) throws -> Result) rethrows -> Result {
        let text = json
        func range(after start: Int, _ name: String, _ count: Int) -> Range<Int> {
            let label = Array(name.utf8)
            var start = start
            while start + label.count < text.count, !text[start..<start + label.count].elementsEqual(label) {
                start += 1
            }
            return start + label.count..<start + label.count + count
        }
        let stream = range(after: 0, #""stream":""#, self.stream.bytes.count)
        let type = range(after: stream.upperBound, #""type":""#, typeName.bytes.count)
        var end = type.upperBound
        let key = key.map { range(after: end, #","key":""#, $0.bytes.count) }
        end = key?.upperBound ?? end
        let tags = tags.map { range(after: end, #","tags":"#, $0.count) }
        end = tags?.upperBound ?? end
        let meta = meta.map { range(after: end, #","meta":"#, $0.count) }
        end = meta?.upperBound ?? end
        let data = range(after: end, #","data":"#, 0)
        return try text.withUnsafeBytes { json in
            try body(
                EventRecord(
                    position: position, streamNumber: streamNumber, version: version, time: time, by: by, json: json,
                    stream: stream, type: type, key: key, tags: tags, meta: meta,
                    data: data.lowerBound..<text.count - 1))
        }
    }
}
