import Foundation

/// Returns how many times as long some work takes for a large size as for a small one.
///
/// The figure is a ratio of processor times of this thread, which other threads and processes and a machine that stalls
/// don't lengthen, so the work must not hand parts of itself to other threads. Shared caches still disturb it, so each
/// time is the least of several.
///
/// - Parameters:
///   - small: A size whose work takes about a millisecond or more.
///   - large: The other size.
///   - limit: The ratio at which no further measurement is necessary.
///   - prepare: Returns the input of a size, outside the time.
///   - work: The work.
/// - Returns: The ratio.
/// - Throws: The errors of the closures.
public func growth<Input>(
    from small: Int, to large: Int, limit: Double, of prepare: (Int) throws -> Input, _ work: (Input) throws -> Void
) rethrows -> Double {
    func time(_ size: Int) throws -> Double {
        let input = try prepare(size)
        let start = threadTime()
        try work(input)
        return max(threadTime() - start, 1e-6)
    }
    var (least, greatest, ratio) = (Double.infinity, Double.infinity, Double.infinity)
    for _ in 0..<5 where ratio > limit {
        for _ in 0..<3 { least = min(least, try time(small)) }
        greatest = min(greatest, try time(large))
        ratio = greatest / least
    }
    return ratio
}

/// Returns the processor time of this thread in seconds.
private func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
