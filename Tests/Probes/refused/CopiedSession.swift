// refused: 'machine' used after consume
import StoryCore
import StoryWire

func twoOfOne(_ reader: RequestReader) -> (LineAction, LineAction) {
    var machine = SessionMachine(limits: Limits())
    var copy = machine
    return (machine.nextLine(reader, role: .read), copy.nextLine(reader, role: .read))
}
