import CBenchmarkAllocations

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The figures of one contender, per operation.
struct Measurement: Codable {
    let name: String
    /// Nanoseconds of wall time.
    let median: Double
    let p90: Double
    /// Nanoseconds of processor time of all threads.
    let cpu: Double
    /// Heap allocations, or nil if the platform can't count them.
    let allocations: Double?
}

/// Times contenders in alternation, so that a slow phase of the machine affects all of them.
struct Sampler {
    let samples: Int
    /// The duration of one sample, in nanoseconds.
    let sampleTime: Double

    /// Returns the figures of each contender, and the median ratio of the first contender to each.
    func measure(_ contenders: [(name: String, run: (Int) -> Void)]) -> ([Measurement], ratios: [Double]) {
        let counts = contenders.map { calibrate($0.run) }
        var wall = contenders.map { _ in [Double]() }
        var cpu = wall
        for round in 0..<samples {
            for turn in contenders.indices {
                let i = (turn + round) % contenders.count
                let (wallStart, cpuStart) = (clock(CLOCK_MONOTONIC), clock(CLOCK_PROCESS_CPUTIME_ID))
                contenders[i].run(counts[i])
                wall[i].append((clock(CLOCK_MONOTONIC) - wallStart) / Double(counts[i]))
                cpu[i].append((clock(CLOCK_PROCESS_CPUTIME_ID) - cpuStart) / Double(counts[i]))
            }
        }
        let measurements = contenders.indices.map { i in
            Measurement(
                name: contenders[i].name, median: wall[i].quantile(0.5), p90: wall[i].quantile(0.9),
                cpu: cpu[i].quantile(0.5), allocations: allocations(of: contenders[i].run, count: counts[i]))
        }
        let ratios = wall.map { peer in zip(wall[0], peer).map { $0 / $1 }.quantile(0.5) }
        return (measurements, ratios)
    }

    /// Finds the number of operations that fill a sample, after a first operation that warms up the contender.
    private func calibrate(_ run: (Int) -> Void) -> Int {
        // The first operation may read tables for longer than a sample. It doesn't count: each sample would be one
        // operation on cold caches.
        run(1)
        var n = 1
        while true {
            let start = clock(CLOCK_MONOTONIC)
            run(n)
            let elapsed = clock(CLOCK_MONOTONIC) - start
            // A loop that the optimizer removed takes no time; its figure is then 0.
            if elapsed >= sampleTime || n > 1_000_000_000 { return n }
            let growth = elapsed < sampleTime / 100 ? 10 : min(10, sampleTime / elapsed * 1.05 + 0.01)
            n = max(n + 1, Int(Double(n) * growth))
        }
    }

    private func allocations(of run: (Int) -> Void, count: Int) -> Double? {
        let before = benchmark_allocation_count()
        guard before >= 0 else { return nil }
        run(count)
        // A contender creates a few objects per batch. Fewer than one allocation per hundred operations belongs to the
        // batch, not to the operation.
        let each = Double(benchmark_allocation_count() - before) / Double(count)
        return each < 0.01 ? 0 : each
    }

    private func clock(_ id: clockid_t) -> Double {
        var now = timespec()
        clock_gettime(id, &now)
        return Double(now.tv_sec) * 1e9 + Double(now.tv_nsec)
    }
}

extension [Double] {
    /// Returns the quantile by nearest rank.
    func quantile(_ part: Double) -> Double {
        let sorted = self.sorted()
        return sorted[Int((Double(count - 1) * part).rounded())]
    }
}
