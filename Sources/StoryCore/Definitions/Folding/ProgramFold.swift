/// The fold of events by compiled programs, in memory of its own that every fold uses again.
///
/// Each event ends in changes or in a misfit. A program calls nothing, and its loops are bounded, so a fold ends. A long
/// one is done in steps: between two of them nobody else uses the fold.
package struct ProgramFold: ~Copyable {
    /// The most bytes that a fold makes before those that are still used are moved together.
    private static let movedCount = 4_194_304

    /// The bytes that the fold makes.
    var memory = FoldMemory()
    /// The values of the rows and notes that the event changed.
    let cells = FoldMemory()
    var rows = RowCursor()
    var notes = NoteCursor()
    /// The values of `let` and `for`.
    let locals = UnsafeMutablePointer<ModelValue>.allocate(capacity: 2 * DefinitionLimits.statements)
    private var localCount = 0
    /// True where a row or a note could not be read.
    var hasFailed = false
    /// The line of the `row` that the statements are in; nil outside of one.
    private(set) var rowLine: Int32?
    /// The key of the row outside of `row`.
    private var outerKey: UnsafeRawBufferPointer?
    private var loop: ProgramLoop?
    /// The rule of the event, and the number of the next instruction; nil before the first one.
    private var (rule, next): (ProgramCode.Rule?, Int?)
    /// The bytes that the present instruction has searched.
    var searched = 0
    typealias Run = ProgramRun

    /// Allocates the memory.
    package init() {}

    deinit {
        memory.free()
        cells.free()
        locals.deallocate()
    }

    /// Folds an event.
    ///
    /// - Parameter model: the rows and notes before the event, which is not erased.
    /// - Returns: the outcome, valid until the next fold, and as long as the event and what `model` read.
    package mutating func fold(
        _ program: Program, _ event: ProgramEvent, in model: any ModelMemory
    ) -> FoldOutcome {
        guard begin(program, event) else { return .noRule }
        var work = Work.unlimited
        return advance(program, event, in: model, &work) ?? .failed
    }

    /// Begins to fold an event; returns false where the program has no rule for it.
    package mutating func begin(_ program: Program, _ event: ProgramEvent) -> Bool {
        let code = program.code
        guard let rule = code.pointee.rule(event.type), code.pointee.reads(event.category) else { return false }
        release()
        rows.begin()
        notes.begin()
        localCount = rule.localCount
        locals.initialize(repeating: .missing, count: localCount)
        (rowLine, outerKey, loop, hasFailed, self.rule, next) = (nil, nil, nil, false, rule, nil)
        return true
    }

    /// Goes on with the event that `begin` got, as long as work is left.
    ///
    /// - Parameter work: the work that may be done; the work that was done is taken off, the last instruction whole.
    /// - Returns: as `fold`; nil where the event is to be gone on with.
    package mutating func advance(
        _ program: Program, _ event: ProgramEvent, in model: any ModelMemory, _ work: inout Work
    ) -> FoldOutcome? {
        let code = program.code
        guard let rule else { return .noRule }
        do throws(Misfit) {
            guard try run(rule.instructions, Run(code: code, event: event, model: model), &work) else { return nil }
        } catch {
            return hasFailed ? .failed : .misfit(error)
        }
        if hasFailed { return .failed }
        return .changes(
            ModelChanges(rows: rows.changes(code.pointee.fields.count), notes: notes.changes(code.pointee.notes.count)))
    }

    /// Frees the memory of the last event but for a little; its outcome is valid no more.
    package func release() {
        memory.reset()
        cells.reset()
    }

    /// Carries out instructions; returns false where work is spent before the last one.
    private mutating func run(
        _ instructions: UnsafeBufferPointer<Instruction>, _ run: Run, _ work: inout Work
    ) throws(Misfit) -> Bool {
        if next == nil { rows.enter(defaultKey(run)) }
        var next = next ?? 0
        while next < instructions.count, !hasFailed {
            guard work > .zero else {
                self.next = next
                return false
            }
            let made = memory.count
            searched = 0
            try carryOut(instructions[next], &next, run)
            work -= .instruction + .made(memory.count - made) + .searched(searched)
            if memory.count > ProgramFold.movedCount { move(run) }
        }
        return true
    }

    /// Carries out an instruction.
    ///
    /// - Parameter next: its number, then that of the instruction after it.
    private mutating func carryOut(_ instruction: Instruction, _ next: inout Int, _ run: Run) throws(Misfit) {
        next += 1
        switch instruction {
        case .assign(let assign): try self.assign(assign, run)
        case .bind(let local, let expression): locals[Int(local)] = value(expression, run)
        case .merge(let expression, let line): try merge(expression, line: line, run)
        case .remove(let line):
            try find(line: line)
            do { try removeRow(run) } catch { throw Misfit(line: line, rule: error) }
        case .unless(let condition, let other): if !isTrue(condition, run) { next = Int(other) }
        case .goTo(let other): next = Int(other)
        case .beginLoop(let loop): next = try begin(loop, body: next, run)
        case .endLoop: next = endRound() ?? next
        case .beginRow(let keys, let line):
            (outerKey, rowLine) = (rows.key, line)
            rows.enter(rowKey(keys, run))
        case .endRow:
            rowLine = nil
            rows.enter(outerKey)
        }
    }

    /// Checks that the statements have a row to change.
    func find(line: Int32) throws(Misfit) { if rows.key == nil { throw Misfit(line: rowLine ?? line, rule: .key) } }
}

/// `for`.
extension ProgramFold {
    /// Begins a loop; returns the next instruction.
    private mutating func begin(_ instruction: LoopInstruction, body: Int, _ run: Run) throws(Misfit) -> Int {
        let over = value(instruction.over, run)
        if let absence = over.absence {
            guard absence.reason == .missing else { throw Misfit(line: instruction.line, rule: absence.reason) }
            return Int(instruction.end)
        }
        guard let elements = over.elements else { throw Misfit(line: instruction.line, rule: .wrongType) }
        guard elements.count <= DefinitionLimits.loop else { throw Misfit(line: instruction.line, rule: .tooMany) }
        loop = ProgramLoop(instruction: instruction, elements: elements, body: body)
        return beginRound() ?? Int(instruction.end)
    }

    /// Gives the locals of a round their values; returns the first instruction of the round, nil after the last one.
    private mutating func beginRound() -> Int? {
        guard let loop, loop.index < loop.elements.count else {
            self.loop = nil
            return nil
        }
        locals[Int(loop.instruction.element)] = loop.elements[loop.index]
        if let index = loop.instruction.index { locals[Int(index)] = ModelValue(ModelNumber(loop.index)) }
        return loop.body
    }

    private mutating func endRound() -> Int? {
        loop?.index += 1
        return beginRound()
    }

    /// Moves the bytes that are still used into fresh memory, and frees the others.
    @inline(never)
    private mutating func move(_ run: Run) {
        let fresh = FoldMemory()
        rows.move(to: fresh, fieldCount: run.code.pointee.fields.count)
        notes.move(to: fresh, noteCount: run.code.pointee.notes.count)
        fresh.move(locals, count: localCount)
        outerKey = outerKey.map { fresh.copy($0) }
        if case .stored(let list)? = loop?.elements { loop?.elements = .stored(fresh.moved(list)) }
        memory.free()
        memory = fresh
    }
}

/// The program, event and model of a fold.
struct ProgramRun {
    let code: UnsafePointer<ProgramCode>
    let event: ProgramEvent
    let model: any ModelMemory
}

/// The rounds of a `for`.
private struct ProgramLoop {
    let instruction: LoopInstruction
    var elements: ValueList
    /// The instruction after `for`.
    let body: Int
    var index = 0
}
