import Glibc

exit(Tool.run(ProcessWords.all()).rawValue)
