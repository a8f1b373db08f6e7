import Foundation
import StoryCore

/// Reads rows as typed values.
enum ContentDecoder {
    static func decode<Content: StoreContent>(_ type: Content.Type, _ json: [UInt8]) throws(ContentError) -> Content {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(date)
        do {
            return try decoder.decode(type, from: Data(json))
        } catch {
            throw .notUnderstood(String(decoding: json, as: UTF8.self))
        }
    }

    /// RFC 3339 to the millisecond; Foundation's own strategy takes no fractions.
    @Sendable private static func date(_ decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        guard let instant = Instant(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is no RFC 3339 date")
        }
        return Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
    }
}
