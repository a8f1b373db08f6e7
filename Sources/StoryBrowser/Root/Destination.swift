package import StoryClient

/// A screen of another coordinator, which only the root can open.
package enum Destination: Hashable, Sendable {
    /// All that the store holds.
    case overview
    case models
    /// The definition of a declared model.
    case model(String)
    /// The rows of a kind that pass filters: their values by their names.
    case rows(of: String, where: [String: String] = [:])
    /// A row of a kind.
    case row(of: String, id: String)
    /// The events that did not fit a declared model.
    case misfits(of: String)
    case categories
    /// The streams of a category.
    case streams(of: String)
    /// The events of the log, of a category or of a stream.
    case events(EventSelection)
}

extension Destination {
    /// Returns the screen that a coordinator asks for. Only the root knows all of them.
    ///
    /// - Parameter kinds: the built-in kinds, as far as the store has described them.
    func screen(_ kinds: [ModelDescription]) -> any CoordinatorScreen {
        func rows(_ name: String) -> ModelRows {
            kinds.first { $0.id == name }.map { ModelRows($0) } ?? ModelRows(name)
        }
        return switch self {
        case .overview: ListState(Overview())
        case .models: ListState(Models())
        case .model(let name): PageState(Models(), id: name)
        case .rows(let name, let values): ListState(rows(name), ModelFilter(values: values))
        case .row(let name, let id): PageState(rows(name), id: id)
        case .misfits(let model): ListState(Misfits(model: model))
        case .categories: ListState(Categories())
        case .streams(let category): ListState(Streams(category: category))
        case .events(let selection): ListState(Events(selection: selection))
        }
    }
}

/// The columns of the lists of rows, for other programs that show them.
package enum ListShapes {
    /// A field of the rows, as a description of their kind tells it.
    package struct Field {
        let name: String
        let type: String
        let label: String?
        let unit: String?

        /// Creates a field.
        package init(name: String, type: String, label: String? = nil, unit: String? = nil) {
            (self.name, self.type, self.label, self.unit) = (name, type, label, unit)
        }
    }

    /// Returns the columns of a list in order: those that its description names, else the ID and all fields.
    package static func of(_ fields: [Field], columns: [String] = []) -> [ColumnShape] {
        ModelDescription.shapes(
            of: fields.map { ModelDescription.Field($0.name, $0.type, label: $0.label, unit: $0.unit) }, columns)
    }
}
