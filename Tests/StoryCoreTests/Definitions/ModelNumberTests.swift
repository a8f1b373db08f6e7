import StoryCore
import TestSupport
import Testing

struct ModelNumberTests {
    @Test func `arithmetic is that of exact fractions, rounded once`() throws {
        let lines = try require(try DefinitionFixtures.json("decimals.json") as? [[Any]])
        expect(lines.count == 4_000)
        for line in lines {
            let parts = line.map { $0 as? String }
            let (left, right) = (try number(parts[1] ?? ""), try number(parts[2] ?? ""))
            let result: ModelNumber? =
                switch parts[0] {
                case "+": left.adding(right)
                case "-": left.subtracting(right)
                case "*": left.multiplied(by: right)
                case "/": left.divided(by: right)
                case "round": left.rounded(toDigits: Int(right.whole ?? 0))
                case "floor": left.floor
                default: ModelNumber(left < right ? -1 : left == right ? 0 : 1)
                }
            expect(result?.text == parts[3], "\(line)")
        }
    }

    @Test func `a token is read from its text, however long it is`() throws {
        for line in try tokens("numbers") { expect(reading(line[0]) == line[1], "\(line)") }
        expect(reading("0." + String(repeating: "3", count: 1_000_000)) == "0.333333333333333333")
        expect(reading(String(repeating: "1", count: 1_000_000) + "e-999990") == "1111111111.11111111")
        expect(reading("1e-" + String(repeating: "9", count: 1_000)) == "0")
    }

    @Test func `a time is RFC 3339, and any minute may have a second 60`() throws {
        for line in try tokens("times") {
            let time = Array(line[0].utf8).withUnsafeBytes { Instant(model: $0) }
            expect(time?.text ?? "malformed" == line[1], "\(line)")
        }
    }

    @Test(arguments: ["0", "1", "-1", "0.5", "-0.000000000000000001", "999999999999999999", "12.34"])
    func `a number that is written is read back`(_ text: String) { expect(reading(text) == text) }

    private func tokens(_ name: String) throws -> [[String]] {
        let file = try require(try DefinitionFixtures.json("tokens.json") as? [String: [[String]]])
        return try require(file[name])
    }

    private func number(_ text: String) throws -> ModelNumber {
        var number: ModelNumber?
        if case .number(let read) = ModelNumber.read(Array(text.utf8)) { number = read }
        return try require(number)
    }

    private func reading(_ text: String) -> String {
        switch Array(text.utf8).withUnsafeBytes({ ModelNumber.read($0) }) {
        case .number(let number): number.text
        case .outOfRange: "outOfRange"
        case .malformed: "malformed"
        }
    }
}
