/// A small generator with a seed: the same seed gives the same test, on every machine.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in so many times.
    package mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// One of a few; the first where the collection has but one.
    package mutating func pick<Element>(_ first: Element, _ others: Element...) -> Element {
        others.randomElement(using: &self).map { oneIn(others.count + 1) ? first : $0 } ?? first
    }
}
