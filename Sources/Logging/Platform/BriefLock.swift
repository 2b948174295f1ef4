internal import CAshlarLogging
import Synchronization

/// A lock that a fork can hold.
protocol ForkLock: AnyObject, Sendable {
    func lock()
    func unlock()
}

/// A lock that is nearly always free and never held for long: one atomic operation takes it, a store releases it.
///
/// Who finds it taken looks again and again for a few microseconds, which is what a write takes, and then sleeps for
/// longer and longer moments; nobody has to be woken. There is no order among those that wait, and no word about its
/// owner in it, so it may be released by the child of a fork.
final class BriefLock: ForkLock {
    private let word = Atomic<Bool>(false)

    /// How often a thread looks before it sleeps.
    static let looksBeforeSleep = 600
    private static let sleeps: ClosedRange<Int64> = 50_000...1_000_000

    /// Whether someone has the lock now: a hint for those that wait.
    @inline(__always) var isTaken: Bool { word.load(ordering: .relaxed) }

    @inline(__always)
    func tryLock() -> Bool {
        !isTaken && word.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged
    }

    @inline(__always)
    func unlock() { word.store(false, ordering: .releasing) }

    func lock() {
        var looks = 0
        while !tryLock() { Self.wait(&looks) }
    }

    /// Lets a moment pass before the next look.
    @inline(__always)
    static func wait(_ looks: inout Int) {
        looks += 1
        if looks < looksBeforeSleep {
            ashlar_log_pause()
        } else {
            SystemCalls.sleep(
                nanoseconds: min(sleeps.upperBound, sleeps.lowerBound * Int64(looks - looksBeforeSleep + 1)))
        }
    }

    @inline(__always)
    func withLock<R>(_ body: () -> R) -> R {
        lock()
        defer { unlock() }
        return body()
    }
}
