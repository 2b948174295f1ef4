internal import AshlarCore

extension RouteTree {
    /// The result of a search, filled in place; a match is created only on request.
    struct Finding {
        var target: Int32 = -1
        var captures = RouteCaptures()
        var parts = RouteURL()
        /// The number of matching steps, if there is no match.
        var reached = 0
        /// The values to which parameter types have converted segments, by the numbers of the edges.
        ///
        /// No edge is tried twice in a search.
        var conversions: [Int32: any Sendable]?

        /// Adds the value of an edge, if its type converts, to its capture.
        @inline(never)
        mutating func convert(_ edge: Int32, at index: Int) {
            if let converted = conversions?[edge] { captures.set(converted: converted, at: index) }
        }
    }

    /// The reason for a failed search; an error is created only on request.
    enum SearchFailure: Error {
        case url(RouteURL.Fault)
        case notFound
        case tooCostly(Int)

        func error(_ url: String) -> EventBusError {
            switch self {
            case .url(.notAbsolute):
                EventBusError(.pathNotAbsolute, subject: url, offset: 0, expected: "/ or a scheme and ://")
            case .url(.tooLong): EventBusError(.pathTooLong, subject: url, found: "\(url.utf8.count) bytes")
            case .url(.tooManySegments): EventBusError(.pathTooManySegments, subject: url)
            case .url(.authority(let offset)):
                EventBusError(
                    .invalidAuthority, subject: url, offset: offset, expected: "a host as in RFC 3986")
            case .url(.coding(let fault)): EventBusError(fault, in: url)
            case .notFound: EventBusError(.routeNotFound, subject: url, expected: "a path that a route matches")
            case .tooCostly(let steps):
                EventBusError(.matchTooCostly, subject: url, expected: "at most \(steps) places of the tree to visit")
            }
        }
    }

    /// The maximum number of segments that are matched on the stack.
    private static var stackSteps: Int { 30 }

    /// Returns the target of a finding.
    func target(of finding: borrowing Finding) -> RouteTarget? {
        finding.target < 0 ? nil : targets[Int(finding.target)]
    }

    /// Searches for the route of a URL; returns nil if it is found.
    @inline(__always)
    func search(_ url: String, _ finding: inout Finding) -> SearchFailure? {
        let outcome: SearchFailure?? = url.utf8.withContiguousStorageIfAvailable { bytes in
            withUnsafeTemporaryAllocation(of: RouteStep.self, capacity: Self.stackSteps) { buffer in
                var steps = buffer.mutableSpan
                return search(bytes.span, &steps, &finding)
            }
        }
        // Only strings that aren't native Swift strings have no contiguous storage.
        if let outcome { return outcome }
        return searchSlowly(Array(url.utf8), &finding)
    }

    @inline(__always)
    private func search(
        _ bytes: borrowing Span<UInt8>, _ steps: inout MutableSpan<RouteStep>, _ finding: inout Finding
    ) -> SearchFailure? {
        do { try finding.parts.split(bytes, options: options, limits: limits, into: &steps) } catch {
            return .url(error)
        }
        var isPlain = !finding.parts.hasEscapes && finding.parts.stepCount <= steps.count
        var at = finding.parts.pathEnd
        while isPlain, at < bytes.count {
            isPlain = bytes[at] != .percent
            at &+= 1
        }
        if isPlain { return walk(bytes, &steps, raw: [], origins: [], &finding) }
        return searchSlowly(bytes.withUnsafeBufferPointer { Array($0) }, &finding)
    }

    /// Matches a URL with escapes or with very many segments.
    @inline(never)
    private func searchSlowly(_ bytes: [UInt8], _ finding: inout Finding) -> SearchFailure? {
        withUnsafeTemporaryAllocation(of: RouteStep.self, capacity: limits.segments + 3) { row in
            // `Array.span` is newer than the deployment targets.
            bytes.withUnsafeBufferPointer { searchSlowly(bytes, $0, row, &finding) }
        }
    }

    private func searchSlowly(
        _ bytes: [UInt8], _ text: UnsafeBufferPointer<UInt8>, _ row: UnsafeMutableBufferPointer<RouteStep>,
        _ finding: inout Finding
    ) -> SearchFailure? {
        var steps = row.mutableSpan
        do {
            try finding.parts.split(text.span, options: options, limits: limits, into: &steps)
            let parts = finding.parts
            try checkAfterPath(bytes, parts)
            guard parts.hasEscapes else { return walk(text.span, &steps, raw: [], origins: [], &finding) }
            var decoded: [UInt8] = []
            var origins: [Range<Int>] = []
            for index in 0..<parts.stepCount {
                let range = Int(steps[index].start)..<Int(steps[index].start + steps[index].length)
                let start = decoded.count
                if parts.hasAuthority, index == 1 {
                    decoded += try RouteHost.normalForm(of: range, in: bytes, scheme: 0..<parts.schemeEnd)
                } else {
                    try Self.decode(bytes, range, into: &decoded)
                }
                steps[index] = RouteStep(start, decoded.count)
                origins.append(range)
            }
            return decoded.withUnsafeBufferPointer { decoded in
                var steps = row.mutableSpan
                return walk(decoded.span, &steps, raw: bytes, origins: origins, &finding)
            }
        } catch {
            return .url(error)
        }
    }

    /// Checks the escapes of the query and the fragment, so that reading them later can't fail.
    private func checkAfterPath(_ bytes: [UInt8], _ parts: RouteURL) throws(RouteURL.Fault) {
        guard parts.pathEnd < bytes.count else { return }
        var ignored: [UInt8] = []
        // Items are decoded one by one when they are read, so an escape must not cross their boundaries.
        var start = parts.pathEnd + 1
        for at in start...bytes.count where at == bytes.count || Self.separates(bytes[at]) {
            try Self.decode(bytes, start..<at, into: &ignored)
            ignored.removeAll(keepingCapacity: true)
            start = at + 1
        }
    }

    private static func separates(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "&") || byte == UInt8(ascii: "=") || byte == .hashMark
    }

    private static func decode(
        _ bytes: [UInt8], _ range: Range<Int>, into result: inout [UInt8]
    ) throws(RouteURL.Fault) {
        do { try RoutePercent.decode(bytes, range, into: &result) } catch { throw .coding(error) }
    }

    /// Walks the tree and records the ranges of the captured values in the URL.
    ///
    /// The steps refer to `text`, the decoded bytes. If the URL has escapes, `raw` is the URL, and `origins` contains
    /// the ranges of the steps in it. Otherwise the text is the URL itself.
    @inline(__always)
    private func walk(
        _ text: borrowing Span<UInt8>, _ steps: inout MutableSpan<RouteStep>, raw: [UInt8], origins: [Range<Int>],
        _ finding: inout Finding
    ) -> SearchFailure? {
        let outcome = find(
            text, &steps, count: finding.parts.stepCount, hasAuthority: finding.parts.hasAuthority,
            &finding.conversions)
        let (number, end): (Int32, Int)
        switch outcome {
        case .found(let target, let depth): (number, end) = (target, depth)
        case .tooCostly: return .tooCostly(limits.steps)
        case .notFound(let reached):
            finding.reached = reached
            return .notFound
        }
        finding.target = number
        var (index, captured) = (0, 0)
        if finding.parts.hasAuthority {
            index = 2
            if targets[Int(number)]?.authority?.parameter != nil {
                // The whole authority; the value is taken from its normal form.
                finding.captures.set(Self.origin(of: 1, steps[1], origins), at: 0)
                if finding.conversions != nil { finding.convert(steps[1].taken, at: 0) }
                captured = 1
            }
        }
        while index < end {
            let (step, taken) = (steps[index], steps[index].taken)
            index += 1
            if taken == Taken.literal { continue }
            var range = Self.origin(of: index - 1, step, origins)
            if taken >= 0 {
                let edge = edges[Int(taken)]
                var (prefix, rest) = (Int(edge.prefix), Int(step.length) - Int(edge.suffix))
                if !origins.isEmpty {
                    prefix = RoutePercent.offset(ofDecoded: prefix, in: raw, range) - range.lowerBound
                    rest = RoutePercent.offset(ofDecoded: rest, in: raw, range) - range.lowerBound
                }
                range = range.lowerBound + prefix..<range.lowerBound + rest
            }
            finding.captures.set(range, at: captured)
            if taken >= 0, finding.conversions != nil { finding.convert(taken, at: captured) }
            captured += 1
        }
        if end < finding.parts.stepCount {
            let last = finding.parts.stepCount - 1
            let start = Self.origin(of: end, steps[end], origins).lowerBound
            finding.captures.set(start..<Self.origin(of: last, steps[last], origins).upperBound, at: captured)
        }
        return nil
    }

    @inline(__always)
    private static func origin(of index: Int, _ step: RouteStep, _ origins: [Range<Int>]) -> Range<Int> {
        origins.isEmpty ? Int(step.start)..<Int(step.start &+ step.length) : origins[index]
    }
}
