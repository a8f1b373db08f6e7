import CSimdJSON
import StoryCore
import StoryWire
import TestSupport

/// Texts that are JSON or not: the shim and a reader that is slow and obvious agree on both, and on every value.
final class JSONTarget: FuzzTarget {
    private static let limit = 65_536
    private let parser = JSONTarget.parser()
    private let inner = JSONTarget.parser()
    private let objects = JSONObjectReader()

    private static func parser() -> OpaquePointer {
        guard let parser = csj_create(limit) else { fatalError("there is memory for a parser") }
        return parser
    }

    func run(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= JSONTarget.limit else { return }
        let text = Array(bytes)
        let plain = PlainJSON(text)
        let exact = ExactCopy(text)
        let padded = ExactCopy(text, slack: Int(CSJ_PADDING))
        for (copy, readable) in [(exact, text.count), (padded, text.count + Int(CSJ_PADDING))] {
            let document = csj_scan(parser, copy.bytes.baseAddress, text.count, readable)
            check(document.pointee, plain, text)
            checkInner(document.pointee, plain, text)
        }
        checkObject(plain, padded.whole)
        checkValue(plain, text)
    }

    private func check(_ document: csj_document, _ plain: PlainJSON?, _ text: [UInt8]) {
        hold((document.result == .ok) == (plain != nil), "both agree on what is JSON: \(document.result.rawValue)")
        guard let plain else { return hold(document.count == 0, "what is no JSON has no members") }
        check(document.root, plain, in: text)
        hold(Int(document.count) == plain.members.count, "both find as many members")
        for (index, expected) in plain.members.enumerated() {
            let member = document.members[index]
            let key = UnsafeRawBufferPointer(start: member.key, count: Int(member.key_length))
            hold(key.elementsEqual(expected.name), "both find the same names")
            check(member.value, expected.value, in: text)
        }
    }

    private func check(_ value: csj_value, _ plain: PlainJSON, in text: [UInt8]) {
        let range = Int(value.raw_offset)..<Int(value.raw_offset) + Int(value.raw_length)
        hold(range == plain.range, "a value lies at \(plain.range), not at \(range)")
        let string = UnsafeRawBufferPointer(start: value.string, count: Int(value.string_length))
        let isSame: Bool
        switch plain.kind {
        case .null: isSame = value.kind == .null
        case .boolean(let flag): isSame = value.kind == .boolean && value.boolean == flag
        case .integer(let integer): isSame = value.kind == .integer && value.integer == integer
        case .number(let number): isSame = value.kind == .number && value.number.bitPattern == number.bitPattern
        case .string(let characters): isSame = value.kind == .string && string.elementsEqual(characters)
        case .object: isSame = value.kind == .object
        case .array: isSame = value.kind == .array
        }
        hold(isSame, "a value is \(plain.kind), not of kind \(value.kind.rawValue)")
        checkWriting(plain.kind)
    }

    /// What is written of a value is read as that value.
    private func checkWriting(_ kind: PlainJSON.Kind) {
        let body: EventBody
        switch kind {
        case .string(let characters):
            body = .user(.revised(UserRevised(name: Text(characters), email: nil, prefecture: nil)))
        case .integer(let integer):
            body = .user(.revised(UserRevised(name: nil, email: nil, prefecture: integer)))
        case .number(let number):
            body = .photo(.exposureRevised(PhotoExposureRevised(exposureValue: number, exposureDuration: nil)))
        case .null, .boolean, .object, .array: return
        }
        let written = PlainJSON(EventEncoder.data(of: body))?.members.first?.value.kind
        if case .number(let number) = kind {
            switch written {
            case .number(let other)?: hold(other == number, "\(number) is read as it was written")
            case .integer(let other)?: hold(Double(other) == number, "\(number) is read as it was written")
            default: hold(false, "\(number) is written as a number")
            }
        } else {
            hold(written == kind, "\(kind) is read as it was written")
        }
    }

    /// Values inside values: those that are opened, and those that are scanned alone.
    private func checkInner(_ document: csj_document, _ plain: PlainJSON?, _ text: [UInt8]) {
        for (index, member) in (plain?.members ?? []).prefix(50).enumerated() {
            let opened = csj_open(parser, UInt32(index)).pointee
            let isObject = member.value.kind == .object
            hold(Int(opened.count) == (isObject ? member.value.members.count : 0), "an object opens to its members")
            for (index, expected) in member.value.members.enumerated() where isObject {
                let key = UnsafeRawBufferPointer(
                    start: opened.members[index].key, count: Int(opened.members[index].key_length))
                hold(key.elementsEqual(expected.name), "an object opens to its names")
                check(opened.members[index].value, expected.value, in: text)
            }
            checkElements(of: document.members[index].value, member.value, text)
            let part = Array(text[member.value.range])
            let found = csj_scan(inner, part, part.count, part.count).pointee
            let isListed = member.value.members.count <= PlainJSON.maxCount
            hold((found.result == .ok) == isListed, "a part of JSON is JSON")
            if isListed { hold(Int(found.count) == member.value.members.count, "a part has its members") }
        }
        hold(csj_open(parser, document.count).pointee.count == 0, "there is nothing behind the last member")
    }

    /// The elements of an array inside of what was scanned, and of the arrays in it.
    private func checkElements(of value: csj_value, _ plain: PlainJSON, _ text: [UInt8]) {
        let found = withUnsafePointer(to: value) { csj_elements(parser, $0).pointee }
        guard plain.kind == .array, plain.members.count <= PlainJSON.maxCount else {
            return hold(found.count == 0, "what is no array has no elements")
        }
        hold(Int(found.count) == plain.members.count && found.result == .ok, "an array has its elements")
        for (index, expected) in plain.members.prefix(50).enumerated() {
            let element = csj_elements(parser, [value]).pointee.members[index].value
            check(element, expected.value, in: text)
            if expected.value.kind == .array { checkElements(of: element, expected.value, text) }
        }
    }

    private func checkObject(_ plain: PlainJSON?, _ text: UnsafeRawBufferPointer) {
        let names: [[UInt8]]? = objects.withObject(text, readable: text.count + Int(CSJ_PADDING)) { members in
            members.map { [UInt8]($0.name) }
        }
        hold(names == (plain?.kind == .object ? plain?.members.map(\.name) : nil), "an object has its members")
    }

    private func checkValue(_ plain: PlainJSON?, _ text: [UInt8]) {
        let value = JSONValue(text)
        hold((value == nil) == (plain == nil), "a value is JSON")
        guard let value, let plain else { return }
        hold(value.json.utf8.elementsEqual(text[plain.range]), "a value keeps its spelling")
        if case .string(let characters) = plain.kind { hold(value.text.utf8.elementsEqual(characters), "a text is it") }
        let names = value.members.map { Array($0.name.utf8) }
        hold(names == plain.members.map(\.name), "a value has its members")
    }
}
