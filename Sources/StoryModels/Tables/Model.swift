import StoryCore

/// A read model: a set of tables that are folded, counted, compared and thrown away together.
package enum Model: String, CaseIterable, Sendable {
    case users, stories, likes, messages, photos, streams, keys

    /// Counted up with every change of a fold, a table or a row's record: stored models of another version are folded
    /// anew.
    package static let version: UInt32 = 2

    /// The model's tables; the first holds what its count counts.
    package var tables: [Table] {
        switch self {
        case .streams: [.streams, .streamPositions, .categories, .categoryPositions]
        case .keys: [.keys]
        case .users:
            [
                .users, .userEmails, .usersByDate, .usersByName, .usersByEmail, .usersByPrefectureDate,
                .usersByPrefectureName, .usersByPrefectureEmail, .userCounts,
            ]
        case .stories:
            [
                .stories, .storiesByDate, .storiesByTitle, .storiesByLikes, .storiesBySender, .storiesByRecipient,
                .storiesBySenderDate, .storiesByRecipientDate, .storiesByPairDate, .storyCounts,
            ]
        case .likes: [.likes]
        case .messages:
            [
                .messages, .messagesByDate, .messagesBySenderDate, .messagesByRecipientDate,
                .messagesByConversationDate, .messagesByStoryDate, .messagesUnseenByDate,
                .messagesUnseenByRecipientDate, .messageCounts,
            ]
        case .photos:
            [
                .photos, .photosByDate, .photosByISO, .photosByFocalLength, .photosByExposureValue,
                .photosByLensAperture, .photosByExposureDuration, .photosByOwnerDate, .photosByOwnerISO,
                .photosByOwnerFocalLength, .photosByOwnerExposureValue, .photosByOwnerLensAperture,
                .photosByOwnerExposureDuration, .photoCounts,
            ]
        }
    }
}
