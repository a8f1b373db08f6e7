import Foundation
import TestSupport
import Testing

@testable import StoryClient

@Suite struct JSONMembersTests {
    @Test func `values come out byte for byte`() throws {
        let json = #" { "a" : 12 ,"b":"x\"}{", "c":{"d":[1,{"e":"]"}]} ,"f":[ ] , "g":null}"#
        let members = try require(JSONMembers(Array(json.utf8)))
        expect(members.first == "a")
        expect(members.number("a") == 12)
        expect(members.text("b") == #"x"}{"#)
        expect(members.json("c")?.text == #"{"d":[1,{"e":"]"}]}"#)
        expect(members.json("f")?.text == "[ ]")
        expect(members.json("g")?.text == "null")
        expect(members.number("b") == nil && members.text("a") == nil && members["h"] == nil)
        expect(JSONMembers(Array("{}".utf8))?.first == "")
    }

    @Test(arguments: ["", "[]", "{", "{\"a\"", "{\"a\":", "{\"a\":}", "{\"a\":\"", "{\"a\":1", "{a:1}", "{\"a\":[}"])
    func `what is no object is none`(json: String) {
        expect(JSONMembers(Array(json.utf8)) == nil)
    }

    @Test func `no bytes of a server bring the client down`() {
        var random = SplitMix64(seed: 11)
        let event =
            #"{"position":4,"stream":"a-1","version":1,"type":"T","time":"2026-11-21T02:55:07.922Z","by":0,"#
            + #""key":"k","tags":["a"],"meta":{"a":1},"data":"\u00e9"}"#
        #expect(throws: Never.self) { try Event(Array(event.utf8)) }
        var refused = 0
        for _ in 0..<20_000 {
            var bytes = Array(event.utf8)
            for _ in 0...Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.removeLast(bytes.count - max(1, index))
                }
            }
            do throws(ClientError) {
                _ = try Event(bytes)
            } catch {
                refused += 1
            }
            _ = ReplyLine(bytes)
            _ = Refusal(json: bytes)
        }
        expect(refused > 10_000)
    }

    @Test func `an erased event has neither data nor meta, and one that is not erased has data`() throws {
        let header = #"{"position":4,"stream":"a-1","version":1,"type":"T","time":"2026-11-21T02:55:07.922Z","by":0"#
        let erased = try Event(Array((header + #","key":"k","tags":["a"],"erased":9}"#).utf8))
        expect(erased.data == nil && erased.meta == nil && erased.erased == 9)
        expect(erased.key == "k" && erased.tags == ["a"])
        let whole = try Event(Array((header + #","data":null}"#).utf8))
        expect(whole.data?.text == "null" && whole.erased == nil)
        #expect(throws: ClientError.self) { try Event(Array((header + "}").utf8)) }
    }

    @Test func `JSON of a program's own becomes one line, and what is none is refused`() throws {
        expect(try JSONText("{\r\n \"a\":\n1}").text == "{   \"a\": 1}")
        #expect(throws: ClientError.self) { try JSONText("{\"a\":}") }
        #expect(throws: ClientError.self) { try JSONText("{\"a\":\"\n\"}") }
        #expect(throws: ClientError.self) { try JSONText(Double.nan) }
        expect(try JSONText(["a": Date(timeIntervalSince1970: 0.5)]).text == #"{"a":"1970-01-01T00:00:00.500Z"}"#)
        expect(try JSONText("[1.5]").decode([Double].self) == [1.5])
    }

    @Test(arguments: [
        "01", "1.", ".5", "-", "+1", "1e", "1e+", "tru", "nulll", "[1,]", "[,1]", "{\"a\":1,}", "{\"a\"}", "{1:2}",
        "[1 2]",
        "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u12\"", "\"\u{1}\"", "", " ", "1 1", "NaN", "Infinity", "'a'", "[", "}",
        String(repeating: "[", count: 100_000),
    ])
    func `a text with a fault is no JSON`(text: String) {
        #expect(throws: ClientError.self) { try JSONText(text) }
    }

    /// Foundation's parser, of which the client links nothing, is the oracle.
    @Test func `what is JSON is decided as Foundation decides it`() throws {
        let whole = Array(#" {"a":[1,-0.5,1e9,20E-2,true,false,null,"x\"\\\u00e9"],"b":{"":[]} ,"c":{}}"#.utf8)
        let bytes = Array("{}[]\",:\\ 01.eE+-tfnu\n".utf8)
        var random = SplitMix64(seed: 33)
        var counts = [true: 0, false: 0]
        for _ in 0..<20_000 {
            var text = whole
            for _ in 0...Int.random(in: 0...1, using: &random) {
                let index = Int.random(in: 0..<text.count, using: &random)
                if Bool.random(using: &random) {
                    text.remove(at: index)
                } else {
                    text[index] = bytes[Int.random(in: 0..<bytes.count, using: &random)]
                }
            }
            let string = String(decoding: text, as: UTF8.self)
            let isJSON = (try? JSONSerialization.jsonObject(with: Data(string.utf8), options: .fragmentsAllowed)) != nil
            expect(JSONGrammar.matches(string) == isJSON, "\(string)")
            counts[isJSON, default: 0] += 1
        }
        expect(counts[true, default: 0] > 1_000 && counts[false, default: 0] > 1_000)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0, -62_167_219_201, 253_402_300_800])
    func `any date can be written`(seconds: Double) {
        expect(Date(timeIntervalSince1970: seconds).rfc3339.utf8.count == 24)
    }
}
