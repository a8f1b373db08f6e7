import Glibc
import StoryStorage

StandardStreams.hold()
exit(Tool.run(ProcessWords.all()).rawValue)
