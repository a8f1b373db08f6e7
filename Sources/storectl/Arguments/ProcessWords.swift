import Glibc

/// The words that the program was started with.
enum ProcessWords {
    /// Every word but the program's name; nil where one is not UTF-8, which the store would never get as it was typed.
    static func all() -> [String]? {
        var words: [String] = []
        for index in 1..<max(Int(CommandLine.argc), 1) {
            guard let word = CommandLine.unsafeArgv[index], let text = String(validatingCString: word) else {
                return nil
            }
            words.append(text)
        }
        return words
    }
}
