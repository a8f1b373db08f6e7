package import Foundation

/// A search for what an erasure must leave nowhere.
package enum FilesWith {
    /// Returns the files of a directory that have one of some texts or bytes, each with the offset of the first one.
    package static func any(_ texts: [String], _ others: [Data] = [], in path: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        let wanted = texts.map { Data($0.utf8) } + others
        return names.compactMap { name in
            guard let contents = FileManager.default.contents(atPath: path + "/" + name),
                let place = wanted.lazy.compactMap({ contents.range(of: $0) }).first
            else { return nil }
            return "\(name) at \(place.lowerBound)"
        }
    }
}
