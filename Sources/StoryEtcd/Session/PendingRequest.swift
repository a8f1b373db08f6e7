import StoryCluster

/// A call that is not answered, or a watch that has not ended.
struct PendingRequest {
    /// The request.
    enum Kind {
        case call(EngineCall)
        case watch(EngineWatch)
    }

    let kind: Kind
    /// The stream; nil where the request waits for a token.
    var stream: Int32?
    /// The token that it was sent with.
    var token: String?
    /// True once it was sent again, because its token had expired.
    var isRepeated = false
    /// The reply to a call, whose trailers have not come.
    var reply: EngineAnswer?
    /// True for a watch whose changes are not wanted now.
    var isPaused = false

    init(_ kind: Kind) { self.kind = kind }

    /// The method.
    var method: EtcdMethod {
        switch kind {
        case .call(let call): call.method
        case .watch: .watch
        }
    }

    /// The message.
    var message: [UInt8] {
        switch kind {
        case .call(let call): EtcdRequest.call(call)
        case .watch(let watch): EtcdRequest.watch(watch)
        }
    }

    /// Returns the result of the request's end.
    func result(_ id: CallID, _ end: CallEnd) -> EtcdResult {
        switch kind {
        case .call: .answered(id, end.answer)
        case .watch: .watchEnded(id, end.watchEnd)
        }
    }
}

/// The token that requests are sent with.
enum TokenState: Equatable {
    /// There is no user, or etcd asks for none.
    case unneeded
    /// The next request asks for one first.
    case missing
    /// It was asked for on a stream; these requests wait, in their order.
    case asked(stream: Int32, waiting: [CallID])
    case known(String)
}
