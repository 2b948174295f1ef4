/// Explains the match of a URL: the winning route, the other matching routes, and the nearest misses.
public struct RouteExplanation: Sendable, CustomStringConvertible {
    /// A route that was considered, and what became of it.
    public struct Candidate: Sendable {
        /// The pattern of the route.
        public let pattern: String
        /// Whether the pattern matches the URL, be it as winner or not.
        public let isMatch: Bool
        /// Why it won, lost or did not match.
        public let reason: String
    }

    /// The URL.
    public let url: String
    /// The match, nil if there is none.
    public let match: RouteMatch?
    /// The reason for a miss, nil if there is a match.
    public let error: EventBusError?
    /// The routes that match, the winner first, then those that failed latest in the path.
    public let candidates: [Candidate]
    /// The number of routes that failed earlier than those listed.
    public let othersCount: Int
    /// The prefixes of the guards that a navigation would ask, in their order.
    public internal(set) var guards: [String] = []

    /// The whole explanation, a line for each candidate.
    public var description: String {
        var lines = ["\(url)"]
        if let match {
            lines[0] += " -> \(match.pattern)" + (match.parameters.isEmpty ? "" : "  \(match.parameters)")
        } else if let error {
            lines[0] += " -> \(error.code)" + (error.offset.map { " at byte \($0)" } ?? "")
        }
        for candidate in candidates {
            lines.append("  \(candidate.isMatch ? "+" : "-") \(candidate.pattern): \(candidate.reason)")
        }
        if othersCount > 0 { lines.append("  and \(othersCount) more that fail earlier") }
        if !guards.isEmpty { lines.append("  guards: \(guards.joined(separator: ", "))") }
        return lines.joined(separator: "\n")
    }
}

extension RouteTable {
    /// Explains where a URL leads: the winner, what it beat and why, and the routes that came near and where they failed.
    ///
    /// ```swift
    /// let table = try RouteTable(["/notes/new", "/notes/:id(int)", "/notes/:name"])
    /// print(table.explain("/notes/new"))
    /// // /notes/new -> /notes/new
    /// //   + /notes/new: wins
    /// //   + /notes/:name: loses at segment 2, where a literal goes before a plain parameter
    /// //   - /notes/:id(int): segment 2, "new", is no int
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - maxCandidates: The largest number of routes to list that don't match.
    /// - Returns: The explanation, which is meant to be printed.
    /// - Complexity: O(*n*) in the number of routes.
    public func explain(_ url: String, maxCandidates: Int = 5) -> RouteExplanation {
        var (match, failure): (RouteMatch?, EventBusError?)
        do { match = try self.match(url) } catch { failure = error }
        guard failure == nil || failure?.code == .routeNotFound, let parts = RouteParts(url, tree.options, tree.limits)
        else {
            return RouteExplanation(url: url, match: nil, error: failure, candidates: [], othersCount: 0)
        }
        var hits: [(target: RouteTarget, ranks: [RouteRank])] = []
        var misses: [(depth: Int, candidate: RouteExplanation.Candidate)] = []
        for target in tree.liveTargets {
            if let miss = parts.miss(target, tree.options) {
                misses.append((miss.depth, .init(pattern: target.pattern.source, isMatch: false, reason: miss.reason)))
            } else {
                hits.append((target, target.pattern.variants[target.variant].ranks(tree.types)))
            }
        }
        hits.sort { a, b in
            a.target === match?.target
                || b.target !== match?.target && a.ranks.lexicographicallyPrecedes(b.ranks)
        }
        let winner = hits.first?.ranks ?? []
        var candidates = hits.enumerated().map { index, hit in
            RouteExplanation.Candidate(
                pattern: hit.target.pattern.source, isMatch: true,
                reason: index == 0 ? "wins" : Self.loss(hit.ranks, to: winner))
        }
        // The order of equals is that of registration.
        let nearest = misses.enumerated().sorted { ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset) }
        candidates += nearest.prefix(max(0, maxCandidates)).map(\.element.candidate)
        return RouteExplanation(
            url: url, match: match, error: failure, candidates: candidates,
            othersCount: max(0, misses.count - max(0, maxCandidates)))
    }

    private static func loss(_ ranks: [RouteRank], to winner: [RouteRank]) -> String {
        guard let index = zip(ranks, winner).enumerated().first(where: { $1.1 < $1.0 })?.offset else {
            return "loses by its scheme and host"
        }
        let (mine, theirs) = (ranks[index].kind, winner[index].kind)
        return mine == theirs
            ? "loses at segment \(index + 1), where more text or a narrower type goes first"
            : "loses at segment \(index + 1), where \(theirs.text) goes before \(mine.text)"
    }
}

/// A URL cut into decoded segments, for explaining.
private struct RouteParts {
    var authority: (scheme: String, host: String)?
    var segments: [[UInt8]] = []

    init?(_ url: String, _ options: RouteTreeOptions, _ limits: RouteLimits) {
        let bytes = Array(url.utf8)
        var steps = [RouteStep](repeating: RouteStep(0, 0), count: limits.segments + 3)
        let parts = steps.withUnsafeMutableBufferPointer { steps in
            bytes.withUnsafeBufferPointer { bytes in
                try? RouteURL(bytes, options: options, limits: limits, into: steps)
            }
        }
        guard let parts else { return nil }
        for (index, step) in steps.prefix(parts.stepCount).enumerated() {
            if parts.hasAuthority, index == 1 {
                let host = bytes.withUnsafeBufferPointer { bytes in
                    try? RouteHost.normalForm(
                        of: Int(step.start)..<Int(step.start + step.length), in: bytes, scheme: 0..<parts.schemeEnd)
                }
                guard let host else { return nil }
                segments.append(host)
                continue
            }
            let raw = bytes[Int(step.start)..<Int(step.start + step.length)]
            var decoded: [UInt8] = []
            let isValid = Array(raw).withUnsafeBufferPointer { raw in
                guard let base = raw.baseAddress else { return true }
                return (try? RoutePercent.decode(base, 0..<raw.count, into: &decoded)) != nil
            }
            guard isValid else { return nil }
            segments.append(decoded)
        }
        if parts.hasAuthority {
            let names = segments.prefix(2).map { String(decoding: $0, as: UTF8.self).lowercased() }
            authority = (names[0], names[1])
            segments.removeFirst(2)
        }
    }

    /// Why a route doesn't match, and how many segments it got through; nil if it matches.
    func miss(_ target: RouteTarget, _ options: RouteTreeOptions) -> (depth: Int, reason: String)? {
        switch (target.pattern.authority, authority) {
        case (nil, nil): break
        case (nil, .some): return (-1, "is for paths without scheme and host")
        case (.some(let wanted), nil): return (-1, "is for URLs of \(wanted.text)")
        case (.some(let wanted), .some(let found)):
            let fits =
                (wanted.scheme ?? found.scheme) == found.scheme
                && (wanted.host.map { $0 == found.host } ?? !found.host.isEmpty)
            if !fits { return (-1, "is for URLs of \(wanted.text)") }
        }
        var variant = target.pattern.variants[target.variant]
        variant.trim(options)
        let wanted = variant.segments
        for (index, segment) in wanted.enumerated() {
            let label = variant.label(index)
            guard index < segments.count else {
                return (index, "the path ends before segment \(index + 1), \(label)")
            }
            if segment.kind == .catchAll {
                let isEmpty = index == segments.count - 1 && segments[index].isEmpty
                return isEmpty ? (index, "nothing is left for \(label)") : nil
            }
            if let reason = mismatch(segments[index], segment, variant, options, label) {
                return (
                    index, "segment \(index + 1), \"\(String(decoding: segments[index], as: UTF8.self))\", \(reason)"
                )
            }
        }
        return wanted.count == segments.count
            ? nil : (wanted.count, "the path goes on after segment \(wanted.count)")
    }

    private func mismatch(
        _ found: [UInt8], _ segment: RouteSegment, _ variant: RouteVariant, _ options: RouteTreeOptions, _ label: String
    ) -> String? {
        func folded(_ bytes: some Sequence<UInt8>) -> [UInt64] {
            bytes.map { RouteBytes.folded(UInt64($0), options.foldsCase) }
        }
        let (before, after) = (folded(variant.text[segment.prefix]), folded(variant.text[segment.suffix]))
        let text = folded(found)
        if segment.kind == .literal { return text == before ? nil : "is not \(label.isEmpty ? "empty" : label)" }
        guard text.starts(with: before), text.reversed().starts(with: after.reversed()),
            text.count >= before.count + after.count
        else { return "has not the text of \(label)" }
        let value = found.dropFirst(before.count).dropLast(after.count)
        if value.isEmpty { return "has no value for \(label)" }
        guard let type = segment.type, !type.accepts(String(decoding: value, as: UTF8.self)) else { return nil }
        return "is no \(type.name)"
    }
}
