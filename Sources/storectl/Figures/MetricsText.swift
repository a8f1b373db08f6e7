import StoryClient

/// The families of figures from `METRICS`, as text for monitoring programs.
struct MetricsText {
    /// The type, unit, help and samples of each family, as OpenMetrics has them.
    private let families: [String]

    init(_ reply: StoreReply) {
        families = reply.rows.compactMap { ShownJSON($0.json)?.members["text"]?.plain }
    }

    /// Takes a text of figures.
    ///
    /// - Parameter openMetrics: the text in OpenMetrics 1.0.
    init(openMetrics: String) { families = [openMetrics] }

    /// The text in OpenMetrics 1.0, with its end.
    var openMetrics: String { families.joined() + "# EOF\n" }

    /// The text in the older format 0.0.4: a type has the name of the samples, and there are neither units nor infos.
    var prometheus: String { families.map(MetricsText.older).joined() }

    private static func older(_ family: String) -> String {
        let lines = family.split(separator: "\n")
        guard let type = lines.first?.split(separator: " "), type.count == 4 else { return family }
        let (name, kind) = (String(type[2]), String(type[3]))
        let sampleName =
            switch kind {
            case "counter": name + "_total"
            case "info": name + "_info"
            default: name
            }
        var text = ""
        for line in lines {
            if line.hasPrefix("# UNIT ") { continue }
            if line.hasPrefix("# TYPE ") {
                text += "# TYPE \(sampleName) \(kind == "info" ? "gauge" : kind)\n"
            } else if line.hasPrefix("# HELP ") {
                text += "# HELP \(sampleName)" + line.dropFirst("# HELP ".count + name.count) + "\n"
            } else {
                text += line + "\n"
            }
        }
        return text
    }

    /// The samples by name and labels, as they are spelled: `storykeep_rows{kind="users"}`.
    var samples: [String: Double] {
        var samples: [String: Double] = [:]
        for line in families.joined().split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                continue
            }
            samples[String(line[..<space])] = value
        }
        return samples
    }
}
