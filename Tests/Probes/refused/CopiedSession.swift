// refused: 'machine' consumed more than once
import StoryCore
import StoryWire

func twice(_ limits: Limits) {
    let machine = SessionMachine(limits: limits)
    let first = machine
    let second = machine
    _ = first.hasBufferedLine
    _ = second.hasBufferedLine
}
