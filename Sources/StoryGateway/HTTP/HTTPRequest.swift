import StoryCore

/// A request of HTTP whose headers have arrived.
package struct HTTPRequest: Sendable {
    /// A header, its name in lower case.
    package struct Header: Equatable, Sendable {
        let name: String
        let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name.lowercased(), value) }
    }

    /// The method, as it was sent.
    let method: String
    /// The target of the request line, as it was sent.
    let target: String
    /// The target, decoded; nil where it is malformed.
    let address: RequestTarget?
    let headers: [Header]

    package init(method: String, target: String, headers: [Header]) {
        (self.method, self.target, self.headers) = (method, target, headers)
        address = RequestTarget(target)
    }

    /// Returns the values of all headers with a name in lower case.
    func values(of name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
}

/// The path and the query of a target, with their escapes decoded.
package struct RequestTarget: Equatable, Sendable {
    /// A part of the query, `name=value`.
    package struct Item: Equatable, Sendable {
        let name: String
        let value: String
    }

    /// The segments of the path; one empty one for `/`.
    let path: [String]
    let query: [Item]

    /// Parses a target; nil where it does not begin with a slash, has a fragment, or an escape that is not UTF-8.
    package init?(_ target: String) {
        guard target.utf8.first == UInt8(ascii: "/"), !target.utf8.contains(UInt8(ascii: "#")) else { return nil }
        let parts = target.dropFirst().split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path: [String] = []
        for segment in (parts.first ?? "").split(separator: "/", omittingEmptySubsequences: false) {
            guard let decoded = RequestTarget.decode(segment, plusIsSpace: false) else { return nil }
            path.append(decoded)
        }
        var query: [Item] = []
        for item in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = RequestTarget.decode(sides[0], plusIsSpace: true),
                let value = RequestTarget.decode(sides.count > 1 ? sides[1] : "", plusIsSpace: true)
            else { return nil }
            query.append(Item(name: name, value: value))
        }
        (self.path, self.query) = (path, query)
    }

    /// Returns the value of the first part of the query with a name; nil if there is none.
    func value(of name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns true for the bytes of names and tokens: letters, digits, `-` and `_`.
    static func isOfWord(_ byte: UInt8) -> Bool {
        Alphabet.holds(byte) && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~")
    }

    /// Decodes `%XX`; nil for another percent sign, or where the bytes are not UTF-8.
    private static func decode(_ text: Substring, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
