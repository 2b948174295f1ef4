extension RouteTable {
    /// Returns the route that matches a URL, with what it captured.
    ///
    /// The URL is a path beginning with `/`, or has a scheme and `://` before it. It is split on its raw slashes and
    /// each segment is decoded after, so `%2F` stays inside a value. Query and fragment take no part. At each segment,
    /// from the left, a literal goes before a typed parameter with text around it, then come one with text, a typed
    /// one, a plain one and a catch-all; if what follows fails, the next choice is tried.
    ///
    /// - Throws: ``EventBusError`` with the code `routeNotFound`, `pathNotAbsolute`, `pathTooLong`,
    ///   `pathTooManySegments`, `invalidPercentEncoding`, `invalidUTF8` or `matchTooCostly`.
    /// - Complexity: O(*n*) in the length of the path plus the places visited in the tree, each once at most. A URL
    ///   over its limit costs O(1). A path without escapes is matched without allocating.
    @inline(never)
    public func match(_ url: String) throws(EventBusError) -> RouteMatch {
        var finding = Finding()
        if let failure = search(url, &finding) { throw failure.error(url) }
        guard let target = finding.target?.takeUnretainedValue() else {
            throw SearchFailure.notFound.error(url)
        }
        return RouteMatch(
            url: url, target: target, captures: finding.captures, parts: finding.parts,
            queryEncoding: tree.routerOptions.queryEncoding)
    }

    /// Returns the route that matches a URL; nil if none does or the URL is malformed.
    ///
    /// A miss costs no more than ``contains(_:)``, since no error is created.
    public func firstMatch(for url: String) -> RouteMatch? {
        var finding = Finding()
        guard search(url, &finding) == nil, let target = finding.target?.takeUnretainedValue() else { return nil }
        return RouteMatch(
            url: url, target: target, captures: finding.captures, parts: finding.parts,
            queryEncoding: tree.routerOptions.queryEncoding)
    }

    /// Returns whether some route matches a URL.
    public func contains(_ url: String) -> Bool {
        var finding = Finding()
        return search(url, &finding) == nil
    }

    /// What a search found, filled in place: a match is put together only once it is wanted.
    private struct Finding {
        /// Held by the tree, which is held while it is searched.
        var target: Unmanaged<RouteTarget>?
        var captures = RouteCaptures()
        var parts = RouteURL()
    }

    /// Why a search ended without a match; turned into an error only where somebody looks.
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
            case .url(.encoding(let offset)):
                EventBusError(
                    .invalidPercentEncoding, subject: url, offset: offset, expected: "two hexadecimal digits after %")
            case .url(.utf8(let offset)):
                EventBusError(.invalidUTF8, subject: url, offset: offset, expected: "escapes that spell UTF-8")
            case .notFound: EventBusError(.routeNotFound, subject: url, expected: "a path that a route matches")
            case .tooCostly(let steps):
                EventBusError(.matchTooCostly, subject: url, expected: "at most \(steps) places of the tree to visit")
            }
        }
    }

    /// The number of segments that are matched on the stack.
    private static var stackSteps: Int { 30 }

    @inline(__always)
    private func search(_ url: String, _ finding: inout Finding) -> SearchFailure? {
        let outcome = url.utf8.withContiguousStorageIfAvailable { bytes in
            withUnsafeTemporaryAllocation(of: RouteStep.self, capacity: Self.stackSteps) { steps in
                search(bytes, steps, &finding)
            }
        }
        if let outcome { return outcome }
        // Only strings that aren't native Swift strings come here.
        var copy = url
        let steps = UnsafeMutableBufferPointer<RouteStep>.allocate(capacity: Self.stackSteps)
        defer { steps.deallocate() }
        return copy.withUTF8 { search($0, steps, &finding) }
    }

    @inline(__always)
    private func search(
        _ bytes: UnsafeBufferPointer<UInt8>, _ steps: UnsafeMutableBufferPointer<RouteStep>, _ finding: inout Finding
    ) -> SearchFailure? {
        do {
            let parts = try RouteURL(bytes, options: tree.options, limits: tree.limits, into: steps)
            guard let base = bytes.baseAddress, let first = steps.baseAddress else { return .notFound }
            finding.parts = parts
            if parts.hasEscapes || parts.stepCount > steps.count
                || parts.pathEnd < bytes.count && bytes[parts.pathEnd...].contains(.percent)
            {
                return try searchSlowly(bytes, parts, &finding)
            }
            return walk(parts, base, base, first, origins: nil, &finding)
        } catch {
            return .url(error)
        }
    }

    /// Matches a URL with escapes or very many segments.
    @inline(never)
    private func searchSlowly(
        _ bytes: UnsafeBufferPointer<UInt8>, _ parts: RouteURL, _ finding: inout Finding
    ) throws(RouteURL.Fault) -> SearchFailure? {
        guard let base = bytes.baseAddress else { throw .notAbsolute }
        let steps = UnsafeMutableBufferPointer<RouteStep>.allocate(capacity: parts.stepCount + 1)
        defer { steps.deallocate() }
        guard let first = steps.baseAddress else { return .notFound }
        _ = try RouteURL(bytes, options: tree.options, limits: tree.limits, into: steps)
        try checkAfterPath(base, parts, bytes.count)
        guard parts.hasEscapes else { return walk(parts, base, base, first, origins: nil, &finding) }

        var decoded: [UInt8] = []
        decoded.reserveCapacity(parts.pathEnd + 1)
        var origins: [Range<Int>] = []
        for index in 0..<parts.stepCount {
            let range = Int(first[index].start)..<Int(first[index].start + first[index].length)
            let start = decoded.count
            if parts.hasAuthority, index == 1 {
                let scheme = 0..<parts.schemeEnd
                decoded += try RouteHost.normalForm(of: range, in: bytes, scheme: scheme)
                first[index] = RouteStep(start, decoded.count)
                origins.append(range)
                continue
            }
            do {
                try RoutePercent.decode(base, range, into: &decoded)
            } catch {
                throw RouteURL.Fault(error)
            }
            first[index] = RouteStep(start, decoded.count)
            origins.append(range)
        }
        // A byte at the end gives the text an address even if it is empty.
        decoded.append(0)
        return decoded.withUnsafeBufferPointer { text in
            guard let textBase = text.baseAddress else { return .notFound }
            return walk(parts, base, textBase, first, origins: origins, &finding)
        }
    }

    /// Checks the escapes of the query and the fragment, so that reading them later can't fail.
    private func checkAfterPath(_ base: UnsafePointer<UInt8>, _ parts: RouteURL, _ end: Int) throws(RouteURL.Fault) {
        guard parts.pathEnd < end else { return }
        var ignored: [UInt8] = []
        do {
            // Pieces are decoded one by one when they are read: an escape may not reach over their borders.
            var start = parts.pathEnd + 1
            for at in start...end where at == end || Self.separates(base[at]) {
                try RoutePercent.decode(base, start..<at, into: &ignored)
                ignored.removeAll(keepingCapacity: true)
                start = at + 1
            }
        } catch {
            throw RouteURL.Fault(error)
        }
    }

    private static func separates(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "&") || byte == UInt8(ascii: "=") || byte == .hashMark
    }

    /// Walks the tree and notes where in the URL the captured values lie.
    ///
    /// The steps point into `text`, the decoded bytes, which is the URL itself if nothing was encoded; otherwise
    /// `origins` contains the ranges of the steps in the URL.
    @inline(__always)
    private func walk(
        _ parts: RouteURL, _ base: UnsafePointer<UInt8>, _ text: UnsafePointer<UInt8>,
        _ steps: UnsafeMutablePointer<RouteStep>, origins: [Range<Int>]?, _ finding: inout Finding
    ) -> SearchFailure? {
        let view = tree.view
        let outcome = view.find(
            text, steps, count: parts.stepCount, hasAuthority: parts.hasAuthority, tree: tree,
            budget: tree.limits.steps)
        guard case .found(let number, let end) = outcome else {
            if case .tooCostly = outcome { return .tooCostly(tree.limits.steps) }
            return .notFound
        }
        finding.target = tree.targets[number]
        func origin(_ index: Int) -> Range<Int> {
            origins?[index] ?? Int(steps[index].start)..<Int(steps[index].start &+ steps[index].length)
        }
        for index in (parts.hasAuthority ? 2 : 0)..<max(end, parts.hasAuthority ? 2 : 0) {
            let taken = steps[index].taken
            if taken == RouteTreeView.Taken.literal { continue }
            var range = origin(index)
            if taken >= 0 {
                let edge = view.edges[Int(taken)]
                var (prefix, rest) = (Int(edge.prefix), Int(steps[index].length) - Int(edge.suffix))
                if origins != nil {
                    prefix = RoutePercent.offset(ofDecoded: prefix, in: base, range) - range.lowerBound
                    rest = RoutePercent.offset(ofDecoded: rest, in: base, range) - range.lowerBound
                }
                range = range.lowerBound + prefix..<range.lowerBound + rest
            }
            finding.captures.append(range)
        }
        if end < parts.stepCount {
            finding.captures.append(origin(end).lowerBound..<origin(parts.stepCount - 1).upperBound)
        }
        return nil
    }
}

extension RouteURL.Fault {
    fileprivate init(_ fault: RoutePercent.Fault) {
        switch fault {
        case .encoding(let offset): self = .encoding(offset)
        case .utf8(let offset): self = .utf8(offset)
        }
    }
}
