/// A failure to fetch content.
public enum ContentError: Error, Hashable, Sendable {
    /// Nothing has that ID.
    case notFound
    /// The content was deleted; its history can still be read.
    case gone
    /// This version of the library does not understand the row; the value is its JSON.
    case notUnderstood(String)
    /// The store refused for another reason, or gave no reply.
    case store(ClientError)

    init(_ error: ClientError) {
        switch error {
        case .notFound: self = .notFound
        case .gone: self = .gone
        case .notUnderstood(let json): self = .notUnderstood(json)
        case .syntax, .unknown, .invalid, .exists, .conflict, .keyReused, .denied, .tooLarge, .full, .diverged, .behind,
            .notLeader, .unavailable, .busy, .draining, .internal, .other, .unreachable, .insecure, .connectionLost,
            .timedOut, .interrupted, .unreadableInput, .system, .protocolViolation, .notReady, .notEncodable, .closed:
            self = .store(error)
        }
    }
}

/// The state of content that is fetched at some time.
public enum Loadable<Content: Sendable>: Sendable {
    case notLoaded
    case loading
    case loaded(Content)
    case failed(ContentError)

    /// The content, once it is loaded.
    public var content: Content? {
        if case .loaded(let content) = self { content } else { nil }
    }
}

extension Loadable: Equatable where Content: Equatable {}
