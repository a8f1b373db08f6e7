package import StoryCore

/// The tables of the read models. The number is the table's identity on disk and never changes its meaning; 1, 2, 3 and 5
/// were of earlier folds.
package enum Table: UInt8, CaseIterable, Sendable {
    // The model `streams`.
    case categories = 4, streams = 6, streamPositions, categoryPositions
    // The model `keys`.
    case keys = 10
    // The model `users`.
    case users = 20, userEmails, usersByDate, usersByName, usersByEmail
    case usersByPrefectureDate, usersByPrefectureName, usersByPrefectureEmail, userCounts
    // The model `stories`.
    case stories = 40, storiesByDate, storiesByTitle, storiesByLikes, storiesBySender, storiesByRecipient
    case storiesBySenderDate, storiesByRecipientDate, storiesByPairDate, storyCounts
    // The model `likes`.
    case likes = 60
    // The model `messages`.
    case messages = 70, messagesByDate, messagesBySenderDate, messagesByRecipientDate, messagesByConversationDate
    case messagesByStoryDate, messagesUnseenByDate, messagesUnseenByRecipientDate, messageCounts
    // The model `photos`.
    case photos = 90, photosByDate, photosByISO, photosByFocalLength, photosByExposureValue, photosByLensAperture
    case photosByExposureDuration, photosByOwnerDate, photosByOwnerISO, photosByOwnerFocalLength
    case photosByOwnerExposureValue, photosByOwnerLensAperture, photosByOwnerExposureDuration, photoCounts
}

extension Table {
    /// The tables as they are opened.
    package static let list = Model.allCases.flatMap { model in
        model.tables.map { ModelTable($0.rawValue, "\($0)", of: model.rawValue) }
    }
}
