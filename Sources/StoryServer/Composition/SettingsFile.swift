import Glibc
import StoryCore
import StoryWire

/// The configuration file: lines of `NAME = VALUE`.
package enum SettingsFile {
    /// The maximum size of a file, in bytes.
    private static let mostBytes = 1 << 20
    /// The byte order mark that some editors put before text in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Reads all bytes of a file.
    ///
    /// - Throws: `SettingsError` where the file cannot be read, or is too long.
    package static func read(_ path: String) throws(SettingsError) -> [UInt8] {
        guard let file = fopen(path, "re") else { throw unreadable(path, errno) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while bytes.count <= mostBytes {
            let byte = getc(file)
            guard byte != EOF else { break }
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        // A directory can be opened, but not read.
        guard ferror(file) == 0 else { throw unreadable(path, errno) }
        guard bytes.count <= mostBytes else {
            throw .init(message: "\(path) is no file of settings: it has more than \(mostBytes) bytes")
        }
        return bytes
    }

    /// Parses the lines of a file; each setting has its location `PATH:LINE`. Empty lines and comments are skipped.
    ///
    /// - Throws: `SettingsError` for the first wrong line, with its number; then for a setting that is set twice.
    static func settings(
        _ bytes: [UInt8], _ path: String
    ) throws(SettingsError) -> ServerConfiguration.Settings {
        let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
        var lines: [(ServerSetting, String, String)] = []
        for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let location = "\(path):\(index + 1)"
            guard let (setting, value) = try setting(line, location) else { continue }
            lines.append((setting, value, location))
        }
        var settings = ServerConfiguration.Settings()
        for (setting, value, location) in lines {
            guard settings.add(value, to: setting, at: location) else {
                throw .init(message: "\(location): \(setting.rawValue) is set twice")
            }
        }
        return settings
    }

    private static func setting(
        _ line: ArraySlice<UInt8>, _ location: String
    ) throws(SettingsError) -> (ServerSetting, String)? {
        // A comment may be in any encoding.
        guard line.first(where: { ![0x20, 0x09, 0x0D].contains($0) }) ?? 0x23 != 0x23 else { return nil }
        let text: String
        do throws(NotUTF8) {
            text = try SystemText.read(line, of: location)
        } catch {
            throw .init(message: "\(error)")
        }
        // A NUL would cut a path short, and a carriage return would end a line.
        guard !line.contains(0), line.dropLast().last(where: { $0 == 0x0D }) == nil else {
            let shown = SystemText.shown(line)
            throw .init(message: "\(location): \"\(shown)\" has a byte \\x00, or a \\x0d that does not end the line")
        }
        guard let (name, value) = try SettingLine.read(text.unicodeScalars[...], location) else { return nil }
        guard let value else {
            throw .init(message: "\(location): \"\(shown(name))\" is no NAME = VALUE; it lacks the =")
        }
        guard let setting = ServerSetting(rawValue: name) else {
            throw .init(message: "\(location): there is no setting \"\(shown(name))\"; \(meant(name))")
        }
        return (setting, value)
    }

    /// Returns a hint: the known setting that is nearest to a wrong name, or all of them where none is near.
    private static func meant(_ name: String) -> String {
        let names = ServerSetting.allCases.map(\.rawValue)
        guard let nearest = NearestName.find(name.utf8, among: names) else {
            return "there are \(names.joined(separator: ", "))"
        }
        return "did you mean \(nearest)?"
    }

    private static func shown(_ name: String) -> String { SystemText.shown(Array(name.utf8)) }

    private static func unreadable(_ path: String, _ code: Int32) -> SettingsError {
        .init(message: "cannot read the file \(path): \(String(cString: strerror(code)))")
    }
}
