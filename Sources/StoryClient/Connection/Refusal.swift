import Foundation

/// A store's refusal: a code for programs, a sentence for people, and what that code carries besides.
public struct Refusal: Error, Hashable, Sendable, Decodable {
    /// What kind of refusal it is; new ones may come.
    public struct Code: RawRepresentable, Hashable, Sendable, Decodable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let syntax = Code(rawValue: "syntax")
        public static let unknown = Code(rawValue: "unknown")
        public static let notFound = Code(rawValue: "notFound")
        public static let gone = Code(rawValue: "gone")
        public static let invalid = Code(rawValue: "invalid")
        public static let exists = Code(rawValue: "exists")
        public static let conflict = Code(rawValue: "conflict")
        public static let keyReused = Code(rawValue: "keyReused")
        public static let denied = Code(rawValue: "denied")
        public static let tooLarge = Code(rawValue: "tooLarge")
        public static let full = Code(rawValue: "full")
        public static let diverged = Code(rawValue: "diverged")
        public static let busy = Code(rawValue: "busy")
        public static let draining = Code(rawValue: "draining")
        public static let `internal` = Code(rawValue: "internal")
    }

    /// One wrong field of a form.
    public struct Field: Hashable, Sendable, Decodable {
        public let field: String
        public let rule: String
        public let message: String
    }

    public let code: Code
    /// One sentence: what is wrong, and where it helps, what to do.
    public let message: String
    /// `never`, `same` (send it again), `refetch` (read, decide again) or `later`.
    public let retry: String?
    /// Every wrong field, for `invalid`.
    public let fields: [Field]?
    /// A name close to the one that is unknown.
    public let nearest: String?
    /// True for an `internal` that says that what is stored is damaged.
    public let damaged: Bool?

    /// Reads the JSON of a `-` line; one that cannot be read becomes an `internal` refusal that shows it.
    public init(json: [UInt8]) {
        do {
            self = try JSONDecoder().decode(Refusal.self, from: Data(json))
        } catch {
            code = .internal
            message = "an error that cannot be read: \(String(decoding: json, as: UTF8.self))"
            (retry, fields, nearest, damaged) = (nil, nil, nil, nil)
        }
    }

    /// True when what is stored is not what was written.
    public var isDamage: Bool { damaged == true }
}
