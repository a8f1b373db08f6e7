import CSimdJSON
import StoryCore
import Testing
import TestSupport

@testable import StoryWire

struct RequestTableTests {
    private let reader = RequestReader()

    @Test func `every verb has one entry, and its example is a request of that verb`() {
        expect(Set(RequestTable.standard.shapes.map(\.verb)) == Set(Verb.allCases))
        expect(RequestTable.standard.shapes.count == Verb.allCases.count)
        for shape in RequestTable.standard.shapes {
            // A write that is passed on has its own verb.
            expect(
                reader.action(shape.example)?.verb == (shape.verb == .operate(.passOn) ? .write(.append) : shape.verb))
        }
    }

    @Test func `each option is found by its own name, which no filter has`() {
        for option in OptionName.allCases {
            expect(bytes(option.name).withUnsafeBytes { OptionName.find($0) } == option)
        }
        let filters = Catalogue.standard.kinds.flatMap(\.filters)
        for filter in filters { expect(bytes(filter.name).withUnsafeBytes { OptionName.find($0) } == nil) }
    }

    @Test func `the alphabet is that of the core`() {
        for byte in UInt8.min...UInt8.max {
            for (count, place) in (1...40).flatMap({ count in [0, count / 2, count - 1].map { (count, $0) } }) {
                var name = [UInt8](repeating: 0x61, count: count)
                name[place] = byte
                expect(name.withUnsafeBytes { $0.spellsName(1...40) } == Alphabet.holds(byte))
            }
        }
        expect(!UnsafeRawBufferPointer.none.spellsName(1...40))
    }

    @Test func `bytes that need a closer look are found at every place of lines of every length`() {
        for count in 1...50 {
            let line = [UInt8](repeating: 0x20, count: count)
            expect(csj_is_printable(line, count))
            for place in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    var line = line
                    line[place] = byte
                    expect(csj_is_printable(line, count) == (0x20...0x7E ~= byte))
                }
            }
        }
    }

    @Test func `a verb is found in small letters too, and nothing else is`() {
        let table = NameTable(Verb.allCases.map(\.name))
        for (index, verb) in Verb.allCases.enumerated() {
            let word = bytes(verb.name)
            expect(word.withUnsafeBytes { table.find(ignoringCase: $0) } == index)
            expect(bytes(verb.name.lowercased()).withUnsafeBytes { table.find(ignoringCase: $0) } == index)
            for place in word.indices {
                for byte in UInt8.min...UInt8.max where byte & 0xDF != word[place] {
                    var other = word
                    other[place] = byte
                    let found = other.withUnsafeBytes { table.find(ignoringCase: $0) }
                    expect(found.map { Verb.allCases[$0].name.utf8.elementsEqual(other) } != false)
                }
            }
            for other in [word + [0], word + word, Array(word.dropLast()), word + [UInt8](repeating: 0x41, count: 16)] {
                // CURSOR is a part of CURSORS.
                let found = other.withUnsafeBytes { table.find(ignoringCase: $0) }
                expect(found.map { Verb.allCases[$0].name.utf8.elementsEqual(other) } != false)
            }
        }
    }

    @Test func `usage shows target, options and JSON`() {
        let get = RequestTable.standard.shape(of: .read(.get))?.usage
        expect(get == "GET users|stories|messages|photos/ID [at=P|TIME] [min=P|now]")
        expect(RequestTable.standard.shape(of: .read(.ping))?.usage == "PING [min=P|now]")
        expect(
            RequestTable.standard.shape(of: .write(.like))?.usage
                == #"LIKE stories/ID [key=KEY] [version=N] [meta={…}] [unless={…}|[{…},…]] [log=ID] [cursor=NAME@P] {…}"#
        )
    }

    @Test func `HELP has a row for each verb but AS, which is for nodes, and a count`() {
        let replies = Help.answer(nil, from: .standard)
        let verbs = replies.compactMap { (reply) -> MemberValue? in
            guard case .line(let members) = reply else { return nil }
            return members.first?.value
        }
        expect(verbs == RequestTable.standard.shapes.map(\.verb.name).filter { $0 != "AS" }.map { .text($0) })
        expect(replies.count == Verb.allCases.count)
        expect(replies.last == .done(.members([Member("count", .count(UInt64(Verb.allCases.count - 1)))])))
        guard case .line(let members) = replies.first else {
            Issue.record("the first reply is a row")
            return
        }
        expect(members.map(\.name) == ["verb", "usage", "summary"])
    }

    @Test func `HELP explains a verb, a code, and offers the nearest`() {
        for verb in Verb.allCases { expect(Help.answer(verb.name.lowercased(), from: .standard).count == 2) }
        for code in ErrorCode.allCases { expect(Help.answer(code.rawValue, from: .standard).count == 2) }
        guard case .failed(let failure) = Help.answer("conflit", from: .standard).first else {
            Issue.record("there is no such topic")
            return
        }
        expect(failure.detail == .name("conflit", nearest: "conflict"))
        expect(Help.answer("conflit", from: .standard).count == 1)
    }
}
