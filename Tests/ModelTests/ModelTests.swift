import Foundation
import TestSupport
import Testing

/// Declared models of any form through the shipped loop, held against a slow and obvious model: `Tests/ModelTrials`.
///
/// `make models` runs more of them, and one with `SEED=N`.
@Suite(.serialized)
struct ModelTests {
    @Test func `whatever is declared and appended, each answer is that of the plain model`() throws {
        let said = try Trials.run("--trials", "1...300")
        print("models: \(said.text.split(separator: "\n").last ?? "nothing")")
        expect(said.exit == .code(0), "\(said.text)")
    }

    /// Each fault with the trial that notices it first.
    private static let faults: KeyValuePairs = [
        "halvesUp": 9, "seventeenDigits": 3, "quotientsAreCut": 283, "floorIsTowardsZero": 82,
        "prefixCountsBytes": 94, "countCountsBytes": 150, "limitsCountScalars": 116, "leapSecondsAreRefused": 6,
        "thousandthsAreRounded": 6, "timesAreNoTexts": 31, "offsetsAreIgnored": 55, "missingIsZero": 1,
        "noneIsAValue": 1, "optionalFieldsAreNeeded": 7, "absentElementsCount": 234, "startsAreForgotten": 3,
        "removalsMakeRows": 5, "removalsOfMapsFail": 5, "setsMoveElements": 76, "lastKeepsTheOldest": 9,
        "oneElementIsTaken": 864, "entriesAreUnlimited": 251, "mergesClear": 4, "rowsAreOutside": 7,
        "keysAreLong": 137, "notesAreOfCategories": 8, "conditionsAreLoose": 17, "indexesBeginAtOne": 9,
        "namesAreForgotten": 16, "starsGoFirst": 3, "textsAreFoundInMaps": 14, "everyIsForTheRest": 13,
        "everyGoesFirst": 13, "misfitsKeepRows": 1, "misfitsKeepNotes": 30,
        "emptyCollectionsStay": 10, "equalRowsChange": 3, "numbersAreUsedAgain": 292,
        "idsAreShort": 14, "misfitsTellTheRule": 7, "hundredRowsAreFew": 43, "recordsAreUnlimited": 17,
        "loopsAreLong": 4, "tiesStay": 1, "absentRowsGoFirst": 11, "untilIsIncluded": 14, "sinceIsExcluded": 1,
        "textsAreSortedWhole": 1736, "collectionsAreNotSearched": 9, "boundsKeepAbsentRows": 2, "pushIsLost": 1,
        "pageIsShort": 1, "stateIsOfNow": 3,
    ]

    @Test(arguments: faults.map { ($0.key, $0.value) })
    func `a planted fault is noticed`(fault: String, trial: Int) throws {
        let said = try Trials.run("--trials", "\(trial)...\(trial + 9)", "--fault", fault)
        expect(said.exit == .code(1) && said.text.hasPrefix("trial \(trial) FAILED"), "\(said.text)")
    }

    @Test func `every fault that can be planted is one of these`() throws {
        let said = try Trials.run("--fault", "none")
        let names = ModelTests.faults.map(\.key).joined(separator: " ")
        expect(said.text.contains("with a fault: \(names)\n"), "\(said.text)")
    }

    @Test func `trials are cases that the tool reads, with the same results`() throws {
        let scratch = try Scratch()
        let cases = try Trials.run("--cases", "1...40")
        try Data(cases.text.utf8).write(to: URL(filePath: scratch.place("cases.json")))
        let output = scratch.place("output")
        let program = try Program(
            [Program.path("storectl"), "model", "test", scratch.place("cases.json")], output: output, errors: output)
        let exit = try program.wait(within: 600)
        expect(exit == .code(0), "\(Files.text(output))")
    }
}

/// The program that runs trials.
enum Trials {
    struct Said {
        let exit: Exit
        let text: String
    }

    static func run(_ arguments: String...) throws -> Said {
        let scratch = try Scratch()
        let output = scratch.place("output")
        let program = try Program([Program.path("modeltrials")] + arguments, output: output, errors: output)
        return Said(exit: try program.wait(within: 3_600), text: Files.text(output))
    }
}
