package import StoryCore

/// The shapes of all verbs, for the parser, HELP, the nearest names and the tests' dictionary.
///
/// A new verb is one entry here, and one case of `RequestReader` in the reading of its group.
package struct RequestTable: Sendable {
    /// The catalogue of the kinds that targets name.
    package let catalogue: Catalogue
    /// The shapes, in the order in which HELP lists them.
    package let shapes: [RequestShape]

    /// Creates the table of the verbs over a catalogue's kinds.
    ///
    /// - Throws: the first filter that has the name of an option.
    package init(_ catalogue: Catalogue) throws(SchemaError) {
        self.catalogue = catalogue
        let kinds = catalogue.kinds
        shapes =
            RequestTable.queries(kinds) + RequestTable.writes(catalogue) + RequestTable.workers
            + RequestTable.others(kinds)
        for kind in catalogue.kinds {
            let taking = shapes.filter { $0.takesFilters && $0.takes(kind.kind) }
            let options = taking.flatMap { $0.options(of: kind) }.map(\.name)
            let isOption = kind.filters.contains { options.contains($0.name) }
            guard !isOption else { throw SchemaError("a filter of \(kind.name) has the name of an option") }
        }
    }

    private static let write: [OptionName] = [.key, .version, .meta, .unless, .log, .cursor]

    private static func queries(_ all: [KindSchema]) -> [RequestShape] {
        [
            RequestShape(
                .read(.get), .read, .content, of: all, options: [.at, .min], summary: "One row, now or as it was.",
                example: "GET stories/12345"),
            RequestShape(
                .read(.list), .read, .kind, of: all, options: [.sort, .order, .limit, .after, .min], takesFilters: true,
                summary: "The rows of a kind, filtered and sorted, a page at a time.",
                example: "LIST stories sender=007 sort=likes limit=10"),
            RequestShape(
                .read(.count), .read, .counted, of: all, options: [.from, .to, .types, .tags, .query, .log, .min],
                ofModels: [.sort, .order],
                takesFilters: true, summary: "The number of rows that LIST would return, or of events.",
                example: "COUNT users prefecture=13"),
            RequestShape(
                .read(.sorts), .read, .kind, of: all, options: [.min], summary: "The sort keys of a kind.",
                example: "SORTS photos"),
            RequestShape(
                .read(.read), .read, .events, options: [.from, .to, .limit, .order, .types, .tags, .query, .log, .min],
                summary: "Events of the log, of one stream or of one category.",
                example: "READ events/story-12345 from=2 limit=100"),
            RequestShape(
                .read(.find), .read, .found, of: all.filter { !$0.searchedFields.isEmpty },
                options: [.words, .at, .sort, .limit, .after, .from, .to, .order, .types, .tags, .query, .log, .min],
                takesFilters: true,
                summary: "Your own events, or stories and messages, with words in their texts, newest first.",
                example: #"FIND events words="spring -cancelled" limit=10"#),
            RequestShape(
                .read(.models), .read, .models, of: all.filter { $0.program == nil }, options: [.min],
                summary: "The declared models; or one model, or a kind, with its fields, filters and writes.",
                example: "MODELS orders"),
            RequestShape(
                .read(.streams), .read, .streams, options: [.after, .limit, .min],
                summary: "Streams with their versions, in the order of their names.",
                example: "STREAMS story-* limit=100"),
            RequestShape(
                .read(.types), .read, .category, options: [.after, .limit, .min],
                summary: "The types of events, each with the number of its events and the first and last of them.",
                example: "TYPES story-*"),
            RequestShape(
                .read(.erasures), .read, options: [.after, .limit, .min],
                summary: "The erasures, in their order: their targets, reasons and sums, and which are under way.",
                example: "ERASURES limit=10"),
        ]
    }

    private static func writes(_ catalogue: Catalogue) -> [RequestShape] {
        [
            RequestShape(
                .write(.post), .write, .kind, of: catalogue.kinds(taking: .post), options: write, body: .form,
                summary: "Adds content from a form.",
                example: #"POST stories {"title":"Spring","message":"It came.","sender":"007","recipient":"008"}"#),
            RequestShape(
                .write(.edit), .write, .content, of: catalogue.kinds(taking: .edit), options: write, body: .form,
                summary: "Revises the fields that are given.", example: #"EDIT stories/12345 {"title":"Summer"}"#),
            RequestShape(
                .write(.like), .write, .content, of: catalogue.kinds(taking: .like), options: write, body: .form,
                summary: "A user likes a story.",
                example: #"LIKE stories/12345 {"user":"009"}"#),
            RequestShape(
                .write(.unlike), .write, .content, of: catalogue.kinds(taking: .unlike), options: write, body: .form,
                summary: "A user likes a story no longer.", example: #"UNLIKE stories/12345 {"user":"009"}"#),
            RequestShape(
                .write(.see), .write, .content, of: catalogue.kinds(taking: .see), options: write,
                summary: "The recipient has seen a message.",
                example: "SEE messages/9876"),
            RequestShape(
                .write(.delete), .write, .content, of: catalogue.kinds(taking: .delete), options: write,
                summary: "Deletes content; its history stays readable.", example: "DELETE stories/12345"),
            RequestShape(
                .write(.append), .write, .stream, options: [.key, .version, .unless, .log, .cursor], body: .events,
                summary: "Appends events of your own to a stream, or to several, all or none.",
                example: #"APPEND note-1 {"type":"Wrote","data":{"text":"Hello"}}"#),
        ]
    }

    private static let workers = [
        RequestShape(
            .write(.cursor), .write, .cursor, options: [.key, .version], body: .definition,
            summary: "Makes a cursor: a position in the log, from which a worker does one event after the other.",
            example: #"CURSOR billing {"on":"events/order-*","window":100}"#),
        RequestShape(
            .follow(.work), .write, .cursor, options: [.share, .wait, .log],
            summary: "Holds a share of a cursor, and delivers its events from the first one on that is not done.",
            example: "WORK billing"),
        RequestShape(
            .write(.ack), .write, .mark,
            summary: "An event of a cursor is done, and all that were delivered before it.",
            example: "ACK billing@1042"),
        RequestShape(
            .write(.fail), .write, .mark, options: [.delay, .park, .error],
            summary: "The first event that is not done failed: it comes again later, and is parked in the end.",
            example: #"FAIL billing@1042 error="no such customer""#),
        RequestShape(
            .read(.cursors), .read, .cursors, options: [.min],
            summary: "The cursors: how far they are behind, who holds them, and why they do not move.",
            example: "CURSORS"),
        RequestShape(
            .read(.parked), .read, .cursor, options: [.after, .limit, .min],
            summary: "The events of a cursor that were set aside.", example: "PARKED billing"),
        RequestShape(
            .write(.retry), .write, .marks, summary: "Has one parked event, or all of a cursor, delivered once more.",
            example: "RETRY billing@1042"),
        RequestShape(
            .write(.discard), .admin, .mark, options: [.reason], summary: "Gives a parked event up.",
            example: #"DISCARD billing@1042 reason="a test order""#),
        RequestShape(
            .write(.reset), .admin, .cursor, options: [.to],
            summary: "Has all shares of a cursor begin again behind a position.", example: "RESET billing to=start"),
        RequestShape(
            .write(.drop), .admin, .cursor, summary: "Removes a cursor; its name is never used again.",
            example: "DROP billing"),
    ]

    private static func others(_ all: [KindSchema]) -> [RequestShape] {
        [
            RequestShape(
                .follow(.subscribe), .read, .subject, of: all, options: [.from, .types, .tags, .query, .log, .min],
                takesFilters: true,
                summary: "Pushes events from a position on, or a row or the rows of a list and their changes.",
                example: "SUBSCRIBE events/story-* from=1"),
            RequestShape(
                .follow(.unsubscribe), .read, .subscription, summary: "Ends a subscription.", example: "UNSUBSCRIBE 1"),
            RequestShape(
                .follow(.send), .read, options: [.from, .log],
                summary: "Pushes the records of the log as they are, from a position on, for a replica.",
                example: "SEND from=1"),
            RequestShape(
                .operate(.passOn), .admin, .passedOn,
                summary: "A write that a node passes on, with the uid of its client; only nodes may.",
                example: #"AS 1000 APPEND note-1 {"type":"Wrote","data":{"text":"Hello"}}"#),
            RequestShape(
                .read(.ping), .read, options: [.min], summary: "Answers, and does nothing else.", example: "PING"),
            RequestShape(
                .operate(.help), .read, .topic, summary: "Lists the verbs, or explains one verb or error code.",
                example: "HELP APPEND"),
            RequestShape(
                .operate(.stats), .read, summary: "Counts, sizes in bytes, rates and latencies.", example: "STATS"),
            RequestShape(
                .operate(.metrics), .read,
                summary: "Counts, sizes and durations for programs that collect figures, as OpenMetrics.",
                example: "METRICS"),
            RequestShape(
                .operate(.clients), .read, .client, changeRole: .admin,
                summary: "The connections, and how far their subscriptions are; end closes one, for the role admin.",
                example: "CLIENTS"),
            RequestShape(
                .write(.define), .define, .model, options: [.key, .check, .limit], body: .text,
                summary: "Declares a read model over your own events, or another definition of it.",
                example: #"DEFINE orders "from order; total: number; on Placed { total = data.total }""#),
            RequestShape(
                .write(.undefine), .define, .model, summary: "Removes a declared model; its events stay.",
                example: "UNDEFINE orders"),
            RequestShape(
                .write(.erase), .admin, .erased, of: all.filter { $0.program == nil },
                options: [.scope, .from, .to, .types, .tags, .query, .log, .labels, .reason, .expect, .dry, .key],
                summary:
                    "Erases the content of events, of a row or of a user for ever; headers must hold no personal data.",
                example: #"ERASE events/order-7 reason="asked for on 1 May" dry=true"#),
            RequestShape(
                .operate(.checkpoint), .admin, summary: "Writes the read models to the disk now.", example: "CHECKPOINT"
            ),
            RequestShape(
                .operate(.verify), .admin, options: [.at],
                summary: "Checks every record of the log while serving, and tells the seal at a position.",
                example: "VERIFY"),
            RequestShape(
                .operate(.seal), .read, options: [.at],
                summary: "The seal at a position, which proves all events up to it, and the history's ancestors.",
                example: "SEAL at=1"),
            RequestShape(
                .operate(.backup), .admin, .directory,
                summary: "Copies the log into a new data directory, at one position.",
                example: #"BACKUP "/var/backups/story""#),
            RequestShape(
                .operate(.cluster), .read, .change, changeRole: .admin,
                summary: "The nodes of the log; promote has one lead, remove forgets one, for the role admin.",
                example: "CLUSTER"),
            RequestShape(.follow(.quit), .read, summary: "Answers and closes the connection.", example: "QUIT"),
        ]
    }

    /// Returns the shape of a verb; nil if the table lacks it, which a test rules out.
    package func shape(of verb: Verb) -> RequestShape? { shapes.first { $0.verb == verb } }
}
