import StoryCore
import StoryFold
import StoryWire
import TestSupport

/// Any data of events, read for programs: the values are those that a slow and obvious reader finds, and the fold of fixed
/// programs ends.
final class ProgramTarget: FuzzTarget {
    private static let definition = """
        from a
        key data.k ?? meta.k ?? event.id, count(event.tags) ?? 0
        n: number = 0
        t: text(100)?
        w: time?
        b: boolean?
        l: last(text(20), 3)
        s: set(number, 5)
        m: map(number, 4)
        note p: text
        on A {
          n += data.n; t = lower(data.t ?? note.p); w = max(w, data.w); b = data.b == data['odd name'].x
          l += data.l; s += data.s; m[data.k] += data.n
          note[data.t].p = prefix(data.t, 3)
        }
        on B { merge data; for i, x in data.l { row i, x.k { n += x.n ?? 1; m -= x; s -= data.s } } }
        on C { n = round(data.n / data.o.n, 2) ?? none; l = data.l; s = data.s; m = data.m; t = text(data.o.p.q) }
        on D { if data.k in m || data.n in s { remove } else { row text(data.n) { t = data.t + data.t } } }
        """
    private let reader = ProgramEventReader()
    private let model: MemoryModel?
    private let paths: EventPaths?

    init() {
        let definition = try? Definition.read(ProgramTarget.definition)
        model = definition.map { MemoryModel($0) }
        paths = definition.map { EventPaths([$0.program]) }
    }

    func run(_ bytes: UnsafeRawBufferPointer) {
        guard let definition = model?.definition, let paths else { fatalError("the definition has no fault") }
        reader.read(ProgramEventReader.Parts(data: bytes, meta: bytes, tags: bytes), paths)
        compare(definition.program, Array(bytes), paths)
        let model = MemoryModel(definition)
        for type in ["A", "B", "C", "D", "A", "B"] {
            Array("a-\(type)".utf8).withUnsafeBytes { stream in
                Array(type.utf8).withUnsafeBytes { type in
                    model.fold(
                        ProgramEvent(
                            stream: stream, categoryCount: 1, type: type, position: Position(1), version: Version(1),
                            time: Instant(milliseconds: 0), by: 1, values: paths.values(of: 0)))
                }
            }
        }
        hold(model.rows.map(model.json).allSatisfy { PlainJSON($0.bytes) != nil }, "a row is JSON")
    }

    private func compare(_ program: StoryCore.Program, _ text: [UInt8], _ paths: EventPaths) {
        let plain = PlainJSON(text)
        for (number, path) in program.paths.enumerated() {
            let found = paths.values(of: 0)[number]
            guard let plain else {
                hold(ProgramTarget.isNull(found), "data that is no JSON has no values")
                continue
            }
            var expected: PlainJSON? = plain
            for step in path.steps {
                let box = expected?.kind == .object ? expected?.members : nil
                let name = [UInt8](step.name.spelling)
                expected = box?.last { $0.name == name }?.value
            }
            hold(ProgramTarget.same(found, expected, text), "the value at a path is that of a plain reader")
        }
    }

    private static func isNull(_ value: EventValue) -> Bool { if case .null = value { true } else { false } }

    private static func same(_ value: EventValue, _ plain: PlainJSON?, _ text: [UInt8]) -> Bool {
        switch (value, plain?.kind) {
        case (.null, .null?), (.null, nil), (.absent, nil): true
        case (.boolean(let left), .boolean(let right)?): left == right
        case (.number(let token), .integer?), (.number(let token), .number?):
            plain.map { text[$0.range].elementsEqual(token) } ?? false
        case (.text(let left), .string(let right)?): right.elementsEqual(left)
        case (.array(let array), .array?):
            array.count == plain?.members.count
                && (0..<array.count).allSatisfy { same(array[$0], plain?.members[$0].value, text) }
        case (.object(let object), .object?):
            object.members.count == plain?.members.count
                && object.members.allSatisfy { member in
                    same(member.value, plain?.members.first { $0.name.elementsEqual(member.name) }?.value, text)
                }
        default: false
        }
    }
}
