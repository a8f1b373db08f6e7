import Foundation

/// A drawing in SVG, on white, so that it is read on dark pages too.
struct SVG {
    enum Anchor: String { case start, middle, end }

    /// What colours stand for.
    enum Colour {
        static let ink = "#1f2328"
        static let faint = "#59636e"
        static let rule = "#d1d9e0"
        static let own = "#0969da"
        static let other = "#8c959f"
        static let good = "#1a7f37"
        static let bad = "#cf222e"
    }

    let width: Double
    let height: Double
    private var body: [String] = []

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    mutating func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ colour: String, width: Double = 1,
        isDashed: Bool = false
    ) {
        let dash = isDashed ? #" stroke-dasharray="4 3""# : ""
        body.append(
            #"<line x1="\#(at(x1))" y1="\#(at(y1))" x2="\#(at(x2))" y2="\#(at(y2))" stroke="\#(colour)" "#
                + #"stroke-width="\#(at(width))"\#(dash)/>"#)
    }

    mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ colour: String) {
        body.append(
            #"<rect x="\#(at(x))" y="\#(at(y))" width="\#(at(max(0, width)))" height="\#(at(height))" "#
                + #"fill="\#(colour)"/>"#)
    }

    mutating func circle(_ x: Double, _ y: Double, _ radius: Double, fill: String, stroke: String) {
        body.append(
            #"<circle cx="\#(at(x))" cy="\#(at(y))" r="\#(at(radius))" fill="\#(fill)" stroke="\#(stroke)" "#
                + #"stroke-width="1.5"/>"#)
    }

    mutating func path(_ points: [(x: Double, y: Double)], _ colour: String) {
        let places = points.map { "\(at($0.x)),\(at($0.y))" }.joined(separator: " ")
        body.append(#"<polyline points="\#(places)" fill="none" stroke="\#(colour)" stroke-width="2"/>"#)
    }

    mutating func text(
        _ text: String, _ x: Double, _ y: Double, size: Double = 12, anchor: Anchor = .start,
        colour: String = Colour.ink, isBold: Bool = false, isOverLines: Bool = false
    ) {
        let halo = isOverLines ? #" stroke="white" stroke-width="4" paint-order="stroke""# : ""
        let weight = (isBold ? #" font-weight="600""# : "") + halo
        body.append(
            #"<text x="\#(at(x))" y="\#(at(y))" font-size="\#(at(size))" text-anchor="\#(anchor.rawValue)" "#
                + #"fill="\#(colour)"\#(weight)>\#(SVG.escaped(text))</text>"#)
    }

    /// The drawing as a file has it.
    var document: String {
        let head =
            #"<svg xmlns="http://www.w3.org/2000/svg" width="\#(at(width))" height="\#(at(height))" "#
            + #"viewBox="0 0 \#(at(width)) \#(at(height))" "#
            + #"font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif">"#
        let ground = #"<rect width="\#(at(width))" height="\#(at(height))" fill="white"/>"#
        return ([head, ground] + body + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// About how wide a text is, in bold type and in the widest of the fonts.
    static func width(of text: String, size: Double = 12) -> Double { Double(text.count) * size * 0.66 }

    /// A text that stands between tags or quotes.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    /// A length with one decimal at most; what is no number is 0, so that the file stays one.
    private func at(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}
