/// Formatting of a part of a whole for people.
enum Share {
    /// Returns `45 %`, rounded down; a part outside of the whole is none or all of it.
    static func text(_ part: Int64, of whole: Int64) -> String {
        guard whole > 0 else { return "0 %" }
        return "\(Int(Double(max(0, min(part, whole))) / Double(whole) * 100)) %"
    }
}
