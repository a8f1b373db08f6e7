import StoryClient

extension Invocation {
    /// Shows the reply to a request; with `--watch` again each second, until a signal or a key ends it: on a terminal as
    /// a page, else each reply below the one before.
    ///
    /// - Parameters:
    ///   - content: the page; nil where the options ask for lines.
    ///   - hasGaps: whether an empty line is between two replies.
    ///   - sample: returns the part of a reply that the next one is compared with.
    ///   - show: writes a reply, beside the sample of the one before.
    func watch<Content: WatchedContent, Sample>(
        _ content: Content?, hasGaps: Bool, sample: (StoreReply) -> Sample?,
        show: (StoreReply, Sample?) throws(CommandError) -> Void
    ) throws(CommandError) -> ExitCode {
        guard arguments.has("watch") else {
            try show(try ask(Content.request), nil)
            return .done
        }
        if let content, Terminal.isConversation, Terminal.obeysSequences {
            var page = try PageWatch(self, content)
            return try page.run()
        }
        LostReader.endsProcess()
        let answerer = Answerer(try connect())
        var before: Sample?
        repeat {
            let reply = try answerer.ask(Content.request)
            if before != nil, hasGaps { try output.line("") }
            try show(reply, before)
            try output.flush()
            before = sample(reply)
        } while !Interruption.came(within: .seconds(1), on: interruption)
        return .interrupted
    }
}
