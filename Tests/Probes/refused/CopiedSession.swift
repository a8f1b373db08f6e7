// refused: 'machine' used after consume
import StoryCore
import StoryWire

func twoOfOne() -> (Int, Int) {
    let machine = SessionMachine(limits: Limits())
    let copy = machine
    return (machine.bufferedCount, copy.bufferedCount)
}
