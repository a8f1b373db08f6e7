import FoundationEssentials
import StoryBrowser
import StoryClient

/// The fields of a declared model's rows: the columns of its lists, and the types of the values of its filters.
struct ModelFields {
    private let fields: [(name: String, type: String)]

    /// Reads the rows of the reply to `MODELS NAME`; there are no fields without a row.
    init(_ rows: [ReplyLine]) {
        let members = rows.first.flatMap { ShownJSON($0.json) }?.members
        fields =
            members?["fields"]?.fields.compactMap { field in
                (field.value.members["name"]?.plain).map { ($0, field.value.members["type"]?.plain ?? "") }
            } ?? []
    }

    /// Asks for the fields of a model; none where there is no such model, which the request itself is refused for.
    init(of model: String, _ answerer: Answerer) throws(CommandError) {
        let reply: StoreReply
        do throws(CommandError) {
            reply = try answerer.ask(RequestLine("MODELS", model).text)
        } catch {
            guard case .refused = error else { throw error }
            self.init([])
            return
        }
        self.init(reply.rows)
    }

    /// The columns of a list of rows, in the browser's format.
    var columns: [Column] {
        let shapes = ListShapes.of(fields.map { ListShapes.Field(name: $0.name, type: $0.type) })
        let shown = shapes.map { shape in
            var column = Column(shape.member, among: shapes)
            column.yields = shape.member != "id" && shape.member != fields.first?.name
            return column
        }
        return shown + ["changes", "position"].map { Column($0, fit: .leftOut) }
    }

    /// Returns the arguments with the values of filters as the protocol spells them: dates and ages of times, yes and no.
    ///
    /// `since` and `until` bound the field that the list is sorted by.
    func read(_ arguments: Arguments) throws(CommandError) -> Arguments {
        var read = arguments
        for (name, value) in arguments.options {
            let bounded = ["since", "until"].contains(name) ? arguments.value("sort") : name
            guard let type = fields.first(where: { $0.name == bounded })?.type else { continue }
            switch type {
            case "time": read.replace(name, try Option(name, "TIME", "").read(value, now: Date()))
            case "boolean": read.replace(name, try Option(name, "true|false", "").read(value, now: Date()))
            default: break
            }
        }
        return read
    }
}
