import StoryCore
import StoryWire
import TestSupport

extension AllTargets {
    /// What inputs are made of, besides bytes: the words of the protocol, of the forms and of JSON.
    package static var words: [[UInt8]] {
        var words: [String] = OptionName.allCases.map { $0.name + "=" }
        for shape in RequestTable.standard.shapes { words += [shape.verb.name, shape.example] }
        for kind in Catalogue.standard.kinds {
            words.append(kind.name + "/")
            for sort in kind.sorts { words.append("sort=" + sort.name) }
            for filter in kind.filters { words.append(filter.name + "=") }
            for event in kind.events {
                words.append("\"" + event.type + "\"")
                for case let member? in event.changes.map(\.member) { words.append("\"" + member + "\":") }
            }
        }
        return (words + others).map { Array($0.utf8) }
    }

    /// The same as libFuzzer's option `-dict` wants them.
    package static var dictionary: String {
        var text = ""
        for word in words {
            text += "\""
            for byte in word {
                let isPlain = (0x20..<0x7F).contains(byte) && byte != 0x22 && byte != 0x5C
                let digits = String(byte, radix: 16)
                text += isPlain ? String(decoding: [byte], as: UTF8.self) : "\\x" + (byte < 16 ? "0" : "") + digits
            }
            text += "\"\n"
        }
        return text
    }

    private static let others: [String] = [
        "@t ", "events/", "-*", "store://", "\"", "\\", "\\u0041", "\\ud83d", "\\udf3b", "{", "}", "[", "]", ":", ",",
        " ", "  ", "{\"type\":\"A\",\"data\":{}}", "{\"a\":1,\"a\":2}", "null", "true", "false", "-1", "1e9", "0", "-0",
        "0.5", "1e999", "18446744073709551615", "-9223372036854775808", "彩", "\t", "\r", "\u{0}", "\n",
        "9007199254740992", "2026-11-20T12:34:56Z", "a,b", "\u{FEFF}", "\u{7F}", "\u{85}", "\u{2028}", "1/125",
        "\"stream\":\"", "\"version\":", "\"position\":", "\"meta\":{}", "\"tags\":[\"a\"]", "\"id\":\"x1\"",
    ]
}
