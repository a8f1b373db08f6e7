import CSimdJSON
import StoryCore
import Testing
import TestSupport

@testable import StoryWire

struct JSONScannerTests {
    private let scanner = JSONScanner(capacity: 1_048_576)

    @Test func `values keep the range they had in the text`() {
        let text = bytes(" { \"a\" : [1, {\"b\":\"]}\"}] ,\"c\":\t-1.50 , \"d\":\"x\\\"\" ,\"e\":true,\"f\":{ } } ")
        let document = scanner.scan(text)
        expect(document.isValid)
        let raws = text.withUnsafeBytes { text in
            (0..<document.count).map { String(decoding: document[$0].pointee.value.raw(in: text), as: UTF8.self) }
        }
        expect(raws == [#"[1, {"b":"]}"}]"#, "-1.50", #""x\"""#, "true", "{ }"])
        let keys = (0..<document.count).map { String(decoding: document[$0].pointee.keyBytes, as: UTF8.self) }
        expect(keys == ["a", "c", "d", "e", "f"])
    }

    @Test func `what lies inside a value moves no other value`() {
        let values = [
            "[]", "{}", "[ ]", "[[],[1,[2,{}]],{\"x\":[],\"y\":{\"z\":[ ]}}]",
            "[18446744073709551615,-1.5 , true,null]",
            "\"]},\\\"{[\"", "[\"a\",{\"\":\"\"}]", "18446744073709551615", "{\"a\":{\"a\":[{\"a\":{}},{}]}}", "false",
            "[[[[1]]]]",
        ]
        for (first, space) in zip(values.indices, ["", " ", "\t", "", "  ", "\n", "", " ", "", "\r", " "]) {
            let turned = values[first...] + values[..<first]
            let array = bytes("[" + turned.map { space + $0 + space }.joined(separator: ",") + "]" + space)
            expect(raws(scanner.scan(array), array) == Array(turned))
            let members = turned.enumerated().map { "\(space)\"k\($0)\"\(space):\(space)\($1)\(space)" }
            let object = bytes("{" + members.joined(separator: ",") + "}")
            expect(raws(scanner.scan(object), object) == Array(turned))
            let inside = bytes("[0,{" + members.joined(separator: ",") + "},[]]")
            expect(scanner.scan(inside).count == 3)
            expect(raws(scanner.open(1), inside) == Array(turned))
        }
    }

    @Test(arguments: [1, 2, 16, 17, 18, 40])
    func `one key twice is found among few and many, wherever it stands`(count: Int) {
        // Keys of one length and one first letter too.
        let keys = (0..<count).map { $0 % 3 == 0 ? "k\($0 + 10)" : "\($0)" } + [""]
        let object = { (keys: [String]) in "{" + keys.map { "\"\($0)\":[{}]" }.joined(separator: ",") + "}" }
        expect(scanner.scan(bytes(object(keys))).isValid)
        for (index, key) in keys.enumerated() {
            var repeated = keys
            repeated.insert(key, at: (index * 7) % (count + 1))
            for text in [object(repeated), "[1,{\"a\":\(object(repeated))}]"] {
                let document = scanner.scan(bytes(text))
                expect(document.result == .duplicate_key)
                expect(String(decoding: document.errorKey, as: UTF8.self) == key)
                expect(document.count == 0)
            }
        }
    }

    @Test func `of two errors the one that comes first is told, but for a root that is too long`() {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        expect(scanner.scan(bytes("[\(deep.dropFirst().dropLast())]")).isValid)
        expect(scanner.scan(bytes("[\(deep)]")).result == .too_deep)
        expect(scanner.scan(bytes("[1,\(deep),{\"a\":1,\"a\":1}]")).result == .too_deep)
        expect(scanner.scan(bytes("[{\"a\":1,\"a\":1},\(deep)]")).result == .duplicate_key)
        expect(scanner.scan(bytes("{\"a\":\(deep),\"a\":1}")).result == .duplicate_key)
        let many = String(repeating: "0,", count: JSONScanner.maxCount)
        expect(scanner.scan(bytes("[\(many.dropLast())]")).count == JSONScanner.maxCount)
        expect(scanner.scan(bytes("[\(many)0]")).result == .too_many_members)
        expect(scanner.scan(bytes("[\(many){\"a\":1,\"a\":1}]")).result == .duplicate_key)
        expect(scanner.scan(bytes("[[\(many)0]]")).isValid)
        let members = (0...JSONScanner.maxCount).map { "\"\($0)\":0" }.joined(separator: ",")
        expect(scanner.scan(bytes("{\(members)}")).result == .too_many_members)
        expect(scanner.scan(bytes("[{\(members)}]")).result == .too_many_members)
    }

    private func raws(_ document: JSONDocument, _ text: [UInt8]) -> [String] {
        text.withUnsafeBytes { text in
            (0..<document.count).map { String(decoding: document[$0].pointee.value.raw(in: text), as: UTF8.self) }
        }
    }

    @Test func `elements of an array are opened without another scan`() {
        let text = bytes(#"[{"a":[{}],"b":2},7,{"c":{"d":1}},{}]"#)
        expect(scanner.scan(text).count == 4)
        expect(scanner.open(0).count == 2)
        expect(scanner.open(0)[1].pointee.value.integer == 2)
        expect(scanner.open(1).count == 0)
        expect(scanner.open(2)[0].pointee.hasKey("c"))
        expect(scanner.open(2)[0].pointee.value.kind == .object)
        expect(scanner.open(3).count == 0)
        expect(scanner.open(4).count == 0)
    }

    @Test(
        arguments: [
            ("", .empty), ("  ", .empty), ("{", .not_json), ("nul", .not_json), ("[1,]", .not_json),
            ("[01]", .not_json),
            ("[1.]", .not_json), ("[-]", .not_json), ("[+1]", .not_json), ("[.5]", .not_json), ("['a']", .not_json),
            ("[1]//", .not_json), ("\u{FEFF}[]", .not_json), ("[\"\\x\"]", .not_json), ("[\"\\u12\"]", .not_json),
            ("[1e999]", .number_does_not_fit), ("[18446744073709551616]", .number_does_not_fit),
            ("[-9223372036854775809]", .number_does_not_fit), ("[1e999,01]", .number_does_not_fit),
            ("{\"\":1,\"\":2}", .duplicate_key), ("[{\"a\":{\"b\":1,\"b\":1}}]", .duplicate_key),
            ("[{\"a\":1},{\"a\":1}]", .ok),
            ("{\"a\":{\"a\":{\"a\":1}}}", .ok), ("[18446744073709551615]", .ok), ("[1e-400]", .ok), ("\"x\"", .ok),
            (" 7 ", .ok), ("null", .ok),
        ] as [(String, csj_result)])
    func `each kind of error is told apart`(text: String, result: csj_result) {
        expect(scanner.scan(bytes(text)).result == result)
    }

    @Test func `numbers are integers only where they fit and are spelled so`() {
        let text = bytes("[9223372036854775807,-9223372036854775808,9223372036854775808,1.0,1e2,-0]")
        let document = scanner.scan(text)
        let values: [JSONMember.Value] = text.withUnsafeBytes { text in
            (0..<document.count).map { document[$0].pointee.value.memberValue(in: text) }
        }
        expect(
            values == [
                .integer(.max), .integer(.min), .number(9_223_372_036_854_775_808), .number(1), .number(100),
                .integer(0),
            ])
    }

    @Test func `texts longer than the first room are scanned, and those over the capacity are not`() {
        for count in [16_000, 16_384, 16_385, 300_000, 1_048_500] {
            let text = bytes("[\"" + String(repeating: "x", count: count) + "\"]")
            let document = scanner.scan(text)
            expect(document.isValid)
            expect(document[0].pointee.value.stringBytes.count == count)
        }
        expect(scanner.scan([UInt8](repeating: 0x20, count: 1_048_577)).result == .too_long)
        expect(scanner.scan(bytes("[1]")).isValid)
    }
}
