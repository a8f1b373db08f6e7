package import Foundation
import Glibc

/// A search for what an erasure must leave nowhere.
package enum FilesWith {
    /// Returns the files of a directory that have one of some texts or bytes, each with the offset of the first one.
    package static func any(_ texts: [String], _ others: [Data] = [], in path: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        let wanted = texts.map { Data($0.utf8) } + others
        return names.compactMap { name in
            guard let contents = FileManager.default.contents(atPath: path + "/" + name),
                let place = wanted.lazy.compactMap({ first($0, in: contents) }).first
            else { return nil }
            return "\(name) at \(place)"
        }
    }

    /// Returns the index of the first copy of some bytes; nil without one. `Data.range(of:)` takes a hundred times as long.
    package static func first(_ wanted: Data, in bytes: Data) -> Int? {
        let offset = bytes.withUnsafeBytes { (bytes) -> Int? in
            wanted.withUnsafeBytes { wanted in
                guard let start = bytes.baseAddress, let text = wanted.baseAddress, let byte = wanted.first else {
                    return nil
                }
                var at = 0
                while at + wanted.count <= bytes.count,
                    let found = memchr(start + at, Int32(byte), bytes.count - wanted.count + 1 - at)
                {
                    if memcmp(found, text, wanted.count) == 0 { return UnsafeRawPointer(found) - start }
                    at = UnsafeRawPointer(found) - start + 1
                }
                return nil
            }
        }
        return offset.map { bytes.startIndex + $0 }
    }
}
