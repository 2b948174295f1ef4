/// A schedule of random pauses between attempts, whose bound doubles with each failure.
///
/// Each pause is random between zero and its bound ("full jitter"), so that the clients of a restarted server don't
/// return at the same moment. A backoff holds no clock and no state: the caller counts the failures, waits, and takes
/// the greater of the pause and a minimum that a server asked for, such as `Retry-After`.
///
/// ```swift
/// let backoff = Backoff(first: .milliseconds(200), ceiling: .seconds(20))
/// try await Task.sleep(for: max(retryAfter, backoff.pause(beforeRetry: failures)))
/// ```
package struct Backoff: Hashable, Sendable {
    /// The bound of the first pause.
    package var first: Duration
    /// The bound of all pauses.
    package var ceiling: Duration
    /// Makes the pauses repeatable, for tests; random if nil.
    package var seed: UInt64?

    /// Creates a schedule; a negative or zero bound means no pause.
    package init(first: Duration, ceiling: Duration, seed: UInt64? = nil) {
        self.first = first
        self.ceiling = ceiling
        self.seed = seed
    }

    /// Returns the bound of the pause before a retry, counted from 1: `first`, doubled for each further retry, at most
    /// `ceiling`.
    package func bound(beforeRetry retry: Int) -> Duration {
        guard first > .zero, ceiling > .zero else { return .zero }
        var bound = first
        var step = 1
        while step < retry, bound < ceiling {
            bound *= 2
            step += 1
        }
        return min(bound, ceiling)
    }

    /// Returns a random pause before a retry, counted from 1: at least zero, at most its bound.
    package func pause(beforeRetry retry: Int) -> Duration {
        bound(beforeRetry: retry) * fraction(of: retry)
    }

    /// Returns a number from 0 to 1: random, or with a seed always the same for a retry.
    private func fraction(of retry: Int) -> Double {
        guard let seed else { return .random(in: 0...1) }
        // The mixer of SplitMix64, by Sebastiano Vigna.
        var mixed = seed &+ UInt64(truncatingIfNeeded: retry) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) * 0x1p-53
    }
}
