import FoundationEssentials
import StoryClient

/// A verb of `storectl`: its description, and its work.
struct Subcommand: Sendable {
    let description: CommandDescription
    let run: @Sendable (Invocation) throws(CommandError) -> ExitCode

    init(_ description: CommandDescription, run: @escaping @Sendable (Invocation) throws(CommandError) -> ExitCode) {
        (self.description, self.run) = (description, run)
    }
}

extension CommandDescription {
    /// Returns the arguments with typed values converted to the protocol's.
    ///
    /// - Parameter now: the moment from which ages are counted back.
    /// - Throws: a usage error for an option that the description does not have, or for a wrong value.
    func read(_ arguments: Arguments, now: Date) throws(CommandError) -> Arguments {
        try check(arguments)
        var read = arguments
        let areModels = readsModelValues && Kinds.isModel(arguments.operands.first)
        for option in options where !areModels || !Kinds.filters.contains(where: { $0.name == option.name }) {
            guard let text = arguments.value(option.name) else { continue }
            read.replace(option.name, try option.read(text, now: now))
        }
        // The store reports a wrong field, together with all others.
        guard takesFields else { return read }
        for field in Kinds.dates {
            guard let text = arguments.value(field), let date = TypedMoment.rfc3339(text, now: now) else { continue }
            read.replace(field, date)
        }
        return read
    }

    /// Refuses options and operands that the description does not have.
    private func check(_ arguments: Arguments) throws(CommandError) {
        if !takesFields, !(takesModels && Kinds.isModel(arguments.operands.first)) {
            try arguments.checkNames(options + Option.ofEveryVerb, of: name, see: "storectl help \(name)")
        }
        try arguments.checkValues()
        switch operand {
        case .none: try checkCount(arguments, 0...0)
        case .optional: try checkCount(arguments, 0...1)
        case .required(let operand):
            _ = try arguments.operand(operand)
            try checkCount(arguments, 1...1)
        case .several: break
        }
    }

    private func checkCount(_ arguments: Arguments, _ range: ClosedRange<Int>) throws(CommandError) {
        guard arguments.operands.count > range.upperBound else { return }
        let word = arguments.operands[range.upperBound]
        throw .usage("\(name) does not take \"\(word)\"; quote what has spaces, and see \"storectl help \(name)\"")
    }
}
