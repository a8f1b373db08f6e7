/// A change of the plain model's meaning, which stands for the same fault of the program: trials have to notice it.
enum Planted: String, CaseIterable {
    // Numbers, texts, times.
    case halvesUp, seventeenDigits, quotientsAreCut, floorIsTowardsZero, prefixCountsBytes, countCountsBytes
    case limitsCountScalars, leapSecondsAreRefused, thousandthsAreRounded, timesAreNoTexts, offsetsAreIgnored
    // Values that are missing.
    case missingIsZero, noneIsAValue, optionalFieldsAreNeeded, absentElementsCount
    // Statements.
    case startsAreForgotten, removalsMakeRows, removalsOfMapsFail, setsMoveElements, lastKeepsTheOldest
    case oneElementIsTaken, entriesAreUnlimited, mergesClear, rowsAreOutside, keysAreLong, notesAreOfCategories
    case conditionsAreLoose, indexesBeginAtOne, namesAreForgotten, starsGoFirst, textsAreFoundInMaps
    case everyIsForTheRest, everyGoesFirst
    // Rows and events.
    case misfitsKeepRows, misfitsKeepNotes, emptyCollectionsStay, equalRowsChange, numbersAreUsedAgain, idsAreShort
    case misfitsTellTheRule, hundredRowsAreFew, recordsAreUnlimited, loopsAreLong
    // Questions.
    case tiesStay, absentRowsGoFirst, untilIsIncluded, sinceIsExcluded, textsAreSortedWhole, collectionsAreNotSearched
    case boundsKeepAbsentRows
    // What is heard.
    case pushIsLost, pageIsShort, stateIsOfNow

    /// The fault that is planted in this process; nil: none.
    nonisolated(unsafe) static var current: Planted?

    static func `is`(_ fault: Planted) -> Bool { current == fault }
}
