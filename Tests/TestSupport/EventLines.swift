package import StoryCore
package import StoryLog
import StoryWire

extension EventLog {
    /// Appends an event with its text.
    package func append(_ event: Event) throws(StorageError) {
        let json = event.json
        let result = json.withUnsafeBytes { json in
            Result { () throws(StorageError) in try append(event.header(jsonCount: json.count), json: json) }
        }
        try result.get()
    }
}

extension Event {
    /// The event's line as it goes out on the wire.
    package var json: [UInt8] {
        var encoder = EventEncoder()
        encoder.write(self)
        defer { withExtendedLifetime(encoder) {} }
        return [UInt8](encoder.json)
    }

    /// The same as text.
    package var text: String { String(decoding: json, as: UTF8.self) }
    /// What the line says the type is.
    package var typeName: EventType { body.type }
}
