/// A defect of a store that never was: it has to be found out.
enum PlantedBug: String, CaseIterable {
    case journalIsNotSynced, logIsNotSynced, firstPagesAreNotSynced, foldersAreNotSynced
    case namesAreTrusted, acknowledgedEarly, failedCommitIsTrusted, checkpointAheadOfFlush, rollBackKeepsRows
    case keysAreForgotten, tagsAreForgotten, movesAreForgotten, removalsAreForgotten, countsOnlyGrow, changesAreLost
    case foldsChangePlaces
    case checkpointIsStampedEarly, timesGoBack, numbersAreReused, timeIsFoundLate, eventIsSkipped
    case blockIndexIsOffByOne, versionsAreIgnored, queriesAreIgnored
    case pushIsLost, pushIsRepeated, eventIsLostAtTheSwitch, answersChangePlaces
    case readingIsNotResumed, refusalStaysBehind, unsentIsNotCounted
    case namesAreNotHeld, locksAreNotTaken, figuresAreAhead, replacementDropsMemtables
    case declaredRowsStay, silentPeersKeepSlots, brokenLinksStay
    // These are of several nodes.
    case leaderIsNotCompared, entriesAreWrittenOver, errorIsNo, trimmedPastIsSuperseded, lateReportIsBelieved
    case tailIsTrimmedByBytes, oneCopyIsEnough, gapIsTakenOver, undecidedIsShown, undecidedIsStored, minimumIsIgnored
    case termIsTakenUpAgain, revisionIsNotCompared

    /// What makes something durable.
    enum Sync {
        case file, folder, writeThrough
    }

    /// True where the sync of this file does nothing.
    func swallows(_ sync: Sync, _ path: String) -> Bool {
        switch self {
        case .journalIsNotSynced: sync == .file && path.hasSuffix("/log.journal")
        case .logIsNotSynced: sync == .file && path.hasSuffix("/log/data.mdb")
        case .firstPagesAreNotSynced: sync == .writeThrough
        case .foldersAreNotSynced: sync == .folder
        default: false
        }
    }
}
