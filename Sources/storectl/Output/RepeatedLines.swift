import StoryClient

extension Invocation {
    /// Asks each second, and writes each reply below the one before, until a signal ends it.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - hasGaps: whether an empty line is between two replies.
    ///   - sample: returns the part of a reply that the next one is compared with.
    ///   - show: writes a reply, beside the sample of the one before.
    func repeatLines<Sample>(
        _ request: String, hasGaps: Bool, sample: (StoreReply) -> Sample?,
        show: (StoreReply, Sample?) throws(CommandError) -> Void
    ) throws(CommandError) -> ExitCode {
        LostReader.endsProcess()
        let answerer = Answerer(try connect())
        var before: Sample?
        repeat {
            let reply = try answerer.ask(request)
            if before != nil, hasGaps { try output.line("") }
            try show(reply, before)
            try output.flush()
            before = sample(reply)
        } while !Interruption.came(within: .seconds(1), on: interruption)
        return .interrupted
    }
}
