import Glibc

/// A program on a terminal of its own, as a person has it: typed at, and read.
package final class Pseudoterminal {
    private let master: Int32
    private let pid: pid_t
    private var hasEnded = false
    /// Everything that it showed.
    package private(set) var screen = ""

    /// Starts a program on a terminal of 24 lines.
    package init(_ command: [String], environment: [String], columns: UInt16 = 80) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (Int32, Int32) = (0, 0)
        // TIOCSPTLCK and TIOCGPTN, which Swift does not take from C.
        guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw SystemRefused(call: "opening /dev/ptmx", code: errno)
        }
        let name = "/dev/pts/\(number)"
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens is the one that rules it.
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        for descriptor in Int32(3)..<512 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        Program.resetSignals(&attributes, flags: 0x80)  // POSIX_SPAWN_SETSID
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var made: pid_t = 0
        let code = posix_spawn(&made, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw SystemRefused(call: "posix_spawn of \(command[0])", code: code) }
        pid = made
    }

    deinit {
        if !hasEnded {
            kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
        close(master)
    }

    /// Types; `\r` is the Enter key, `\t` the Tab key.
    package func type(_ text: String) { type(bytes: Array(text.utf8)) }

    /// Types bytes, text or not.
    package func type(bytes: [UInt8]) { _ = write(master, bytes, bytes.count) }

    /// Waits until a text was shown since the last one that was waited for.
    package func waitFor(_ text: String) throws {
        try until("the terminal shows \(text), not \(screen.suffix(800))") {
            read()
            guard let range = screen.range(of: text, from: seen) else { return false }
            seen = range
            return true
        }
    }

    /// Waits for the end; returns the exit code.
    package func wait() throws -> Int32 {
        var status: Int32 = 0
        try until("the program on the terminal ends; it shows \(screen.suffix(800))") {
            read()
            return waitpid(pid, &status, WNOHANG) == pid
        }
        hasEnded = true
        read()
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }

    /// True while what is typed is shown by the terminal itself, as it was before the program began.
    package var isPlain: Bool {
        var settings = termios()
        return tcgetattr(master, &settings) == 0
            && settings.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON)
    }

    private var seen = 0

    private func read() {
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while poll(&waiting, 1, 0) > 0, waiting.revents & Int16(POLLIN) != 0 {
            let count = Glibc.read(master, &bytes, bytes.count)
            guard count > 0 else { return }
            screen += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }
}

extension String {
    /// Where a text ends, looked for from so many bytes on; nil where it is not.
    fileprivate func range(of text: String, from start: Int) -> Int? {
        let (bytes, wanted) = (Array(utf8), Array(text.utf8))
        guard bytes.count >= start + wanted.count else { return nil }
        for begin in start...(bytes.count - wanted.count)
        where bytes[begin..<begin + wanted.count].elementsEqual(wanted) {
            return begin + wanted.count
        }
        return nil
    }
}
