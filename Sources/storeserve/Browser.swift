import Glibc

/// The browser of the user's desktop.
enum Browser {
    /// Opens an address; returns false where there is no program for it.
    static func open(_ address: String) -> Bool {
        let words = ["xdg-open", address]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        return posix_spawnp(&child, "xdg-open", nil, nil, &arguments, environ) == 0
    }
}
