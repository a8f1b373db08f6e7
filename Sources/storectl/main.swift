import Glibc
import StoryCore
import StoryStorage

StandardStreams.hold()
MapFaults.endProcess(as: "storectl")
ProcessInput.keepOwnersRights()
do throws(NotUTF8) {
    exit(Tool.run(try ProcessInput.words()).rawValue)
} catch {
    Output.complain("\(error)")
    exit(ExitCode.unusable.rawValue)
}
