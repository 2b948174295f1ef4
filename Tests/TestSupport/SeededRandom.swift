/// A random number generator that repeats its numbers for a seed (SplitMix64, by Sebastiano Vigna).
///
/// A test prints its seed, so that a failure can be repeated on every machine.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator.
    public init(seed: UInt64) { state = seed }

    /// Returns the next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension RandomNumberGenerator {
    /// Returns a number from 0 to below a bound.
    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// Returns true in a percentage of calls.
    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// Returns one of the elements.
    public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Returns at most a number of bytes.
    public mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<below(count + 1)).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}
