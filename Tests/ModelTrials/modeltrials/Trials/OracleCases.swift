import StoryCore
import TestSupport

/// Trials as cases of `storectl model test`, with the rows, misfits and answers of the plain model: the reference of the
/// language reads them, too.
struct OracleCases {
    /// The JSON of the trials of some seeds.
    static func text(_ seeds: ClosedRange<UInt64>) -> String {
        "[" + seeds.map { text($0) }.joined(separator: ",\n") + "]\n"
    }

    private static func text(_ seed: UInt64) -> String {
        let trial = Trial(seed: seed)
        let model = PlainModel(trial.tree)
        var (events, time): ([String], Int64) = ([], 1_700_000_000_000)
        var versions: [String: UInt64] = [:]
        for (index, planned) in trial.events.enumerated() {
            time += planned.after
            versions[planned.stream, default: 0] += 1
            let event = planned.event(
                position: UInt64(index + 1), version: versions[planned.stream] ?? 0, time: time)
            model.fold(event)
            var members = #"{"position":\#(event.position),"stream":"\#(event.stream)","version":\#(event.version)"#
            members += #","time":"\#(PlainTime.text(time))","type":"\#(event.type)","by":1000"#
            members += ",\"data\":\(planned.data.text)"
            if let meta = planned.meta { members += ",\"meta\":\(meta.text)" }
            if let tags = planned.tags { members += ",\"tags\":[\(tags.map { "\"\($0)\"" }.joined(separator: ","))]" }
            events.append(members + "}")
        }
        var questions = Questions(model, trial.random)
        let queries = (0..<6).map { _ in
            let question = questions.question()
            let ids = model.list(question).map { PlainValue.quoted(Array(PlainValue.id($0).utf8)) }
            return "{\"ask\":\(question.json),\"answer\":[\(ids.joined(separator: ","))]}"
        }
        let rows = model.ordered.map { key, _ in
            PlainValue.quoted(Array(PlainValue.id(key).utf8)) + ":{" + model.json(key).drop { $0 != "," }.dropFirst()
        }
        let misfits = model.misfits.map { "[\($0.position),\($0.misfit.line),\"\($0.misfit.rule.rawValue)\"]" }
        return #"{"name":"\#(seed)","definition":\#(PlainValue.quoted(Array(trial.text.utf8))),"events":["#
            + events.joined(separator: ",") + "],\"rows\":{" + rows.joined(separator: ",") + "},\"misfits\":["
            + misfits.joined(separator: ",") + "],\"queries\":[" + queries.joined(separator: ",") + "]}"
    }
}
