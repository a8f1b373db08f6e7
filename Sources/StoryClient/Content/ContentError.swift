/// Why content could not be had.
public enum ContentError: Error, Hashable, Sendable {
    /// Nothing has that ID.
    case notFound
    /// It was deleted; its history can still be read.
    case gone
    /// The row is not what this version of the library understands.
    case notUnderstood(String)
    /// The store refused for another reason, or could not be asked.
    case store(ClientError)

    init(_ error: ClientError) {
        switch error {
        case .notFound: self = .notFound
        case .gone: self = .gone
        case .notUnderstood(let json): self = .notUnderstood(json)
        case .syntax, .unknown, .invalid, .exists, .conflict, .keyReused, .denied, .tooLarge, .full, .diverged, .busy,
            .draining, .internal, .other, .unreachable, .connectionLost, .timedOut, .protocolViolation, .notEncodable,
            .closed:
            self = .store(error)
        }
    }
}

/// What is known about content that is fetched at some time.
public enum Loadable<Content: Sendable>: Sendable {
    case notLoaded
    case loading
    case loaded(Content)
    case failed(ContentError)

    /// The content, once it is there.
    public var content: Content? {
        if case .loaded(let content) = self { content } else { nil }
    }
}

extension Loadable: Equatable where Content: Equatable {}
