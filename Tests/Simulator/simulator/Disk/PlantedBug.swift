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
    case recordsAreKept, unusedBytesAreKept, oldJournalsAreKept, retiredModelsAreKept, usedPagesAreTrusted
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

    /// True where this write of an erasure does nothing.
    ///
    /// - Parameter size: the size of the file before it.
    func swallows(_ bytes: UnsafeRawBufferPointer, at start: Int, _ path: String, size: Int) -> Bool {
        let isOfLog = path.hasSuffix("/log/data.mdb")
        let isClear = bytes.allSatisfy { $0 == 0 }
        // Behind the first pages LMDB writes whole ones, and none of zeros.
        return switch self {
        case .recordsAreKept: isOfLog && start >= 8_192 && bytes.count % 4_096 != 0 && !isClear
        case .unusedBytesAreKept: isOfLog && start >= 8_192 && isClear
        case .oldJournalsAreKept: path.hasSuffix("/log.journal") && start + bytes.count <= size && isClear
        case .retiredModelsAreKept: path.contains("/own/") && isClear
        default: false
        }
    }
}
