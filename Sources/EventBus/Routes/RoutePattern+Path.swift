internal import AshlarCore

extension RoutePattern {
    /// Returns the path for values, or the URL if the pattern has a scheme and host.
    ///
    /// Matching the result with this pattern returns exactly `parameters`. Values are encoded; a value for which this
    /// isn't possible is refused. The result contains the optional groups whose parameters are given. A group without
    /// parameters is omitted.
    ///
    /// ```swift
    /// let pattern = try RoutePattern("/files/:owner{/v:version(uint)}/*path")
    /// print(try pattern.path(["owner": "ann lee", "path": "a/b.txt"]))  // /files/ann%20lee/a/b.txt
    /// ```
    ///
    /// - Parameters:
    ///   - parameters: The decoded values by name. The segments of a catch-all are joined with `/`.
    ///   - query: The query, which is added after `?` if it has items.
    ///   - fragment: The fragment, which is added after `#`.
    ///   - options: The options of the router that will match the path.
    /// - Returns: The percent-encoded path or URL in ASCII.
    /// - Throws: ``EventBusError`` with the code `parameterMissing`, `parameterUnknown` or `parameterInvalid`;
    ///   `pathTooLong` or another code if the result exceeds a limit; `patternMalformedHost` if the
    ///   scheme or host of the pattern is `*`.
    /// - Complexity: O(*n*) in the length of the result.
    public func path(
        _ parameters: [String: String] = [:], query: RouteQuery = RouteQuery(), fragment: String? = nil,
        options: RouterOptions = RouterOptions()
    ) throws(EventBusError) -> String {
        let values = parameters.map { (ByteText($0), segments(of: $1, in: $0)) }
        return try path(segments: Dictionary(values) { $1 }, query: query, fragment: fragment, options: options)
    }

    /// Returns the segments of a parameter's text: several for a catch-all.
    func segments(of text: String, in name: String) -> [String] {
        let isCatchAll = variants[0].segments.contains { segment in
            if case .catchAll(let catchAll) = segment { catchAll.hasSameBytes(as: name) } else { false }
        }
        guard isCatchAll else { return [text] }
        return text.utf8.split(separator: .slash, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    /// Returns the path for the segments of values: one, or several for a catch-all.
    func path(
        segments values: [ByteText: [String]], query: RouteQuery = RouteQuery(), fragment: String? = nil,
        options: RouterOptions = RouterOptions()
    ) throws(EventBusError) -> String {
        let variant = try variant(for: values)
        var result = try authorityText(values)
        for segment in variant.segments {
            let value = segment.name.flatMap { values[ByteText($0)] } ?? []
            switch segment {
            case .literal(let text): result += "/" + Self.encoded(text)
            case .parameter(let parameter):
                let text = value.joined(separator: "/")
                result += "/" + Self.encoded(parameter.prefix) + Self.encoded(text) + Self.encoded(parameter.suffix)
            case .catchAll:
                for part in value { result += "/" + Self.encoded(part) }
            }
        }
        if variant.segments.isEmpty { result += "/" }
        if !query.items.isEmpty { result += "?\(query)" }
        if let fragment {
            result += "#" + PercentCoding.encode(fragment, allowed: PercentCoding.Part.fragment.contains)
        }
        try checkRoundTrip(result, values, options)
        return result
    }

    private static func encoded(_ text: some StringProtocol) -> String {
        PercentCoding.encode(text, allowed: PercentCoding.isSegmentByte)
    }

    /// Returns the scheme and host with the value of the host's parameter; empty for a path.
    private func authorityText(_ values: [ByteText: [String]]) throws(EventBusError) -> String {
        guard let authority else { return "" }
        if case .literal(let scheme) = authority.scheme {
            switch authority.host {
            case .literal(let host): return "\(scheme)://\(host)"
            case .parameter(let parameter):
                if let value = parameter.name.flatMap({ values[ByteText($0)] })?.joined(separator: "/") {
                    return "\(scheme)://\(parameter.prefix)\(value)\(parameter.suffix)"
                }
            case .catchAll: break
            }
        }
        throw EventBusError(
            .init("patternMalformedHost"), subject: source, offset: 0, expected: "one scheme and host to build a URL",
            found: authority.text)
    }

    /// Returns the shortest variant of the pattern that has exactly these parameters.
    private func variant(for values: [ByteText: [String]]) throws(EventBusError) -> RouteVariant {
        let given = values.keys.map(\.text).sorted()
        if let unknown = given.first(where: { !parameterNames.contains(bytesOf: $0) }) {
            let known = parameterNames.isEmpty ? "no parameters" : parameterNames.joined(separator: ", ")
            throw EventBusError(.parameterUnknown, subject: source, expected: known, found: unknown)
        }
        // A nested group needs the parameters of the enclosing group, too.
        let candidates = variants.filter { variant in given.allSatisfy { variant.names.contains(bytesOf: $0) } }
        if let shortest = candidates.last(where: { $0.names.count == given.count }) { return shortest }
        let missing = candidates.last?.names.first { values[ByteText($0)] == nil }
        throw EventBusError(
            .parameterMissing, subject: source, expected: missing ?? "other parameters",
            found: given.isEmpty ? "no values" : given.joined(separator: ", "))
    }

    private func checkRoundTrip(
        _ path: String, _ values: [ByteText: [String]], _ options: RouterOptions
    ) throws(EventBusError) {
        var read: RouteParameters?
        do {
            read = try match(path, options: options).parameters
        } catch  where error.code != .routeNotFound {
            throw error
        } catch {
            // The parameters that don't match are found one by one.
        }
        func isSame(_ name: String, _ value: [String]) -> Bool {
            guard let found = read?.segments(of: name), found.count == value.count else { return false }
            return zip(found, value).allSatisfy { $0.hasSameBytes(as: $1) }
        }
        if let read, read.values.count == values.count, values.allSatisfy({ isSame($0.text, $1) }) { return }
        let parameters = (authority.map { [$0.host] } ?? []) + variants[0].segments
        let given = parameters.compactMap { segment in
            segment.name.flatMap { name in values[ByteText(name)].map { (name: name, type: segment.type, value: $0) } }
        }
        let wrong =
            given.first { $0.value.contains("") || $0.type?.check($0.value.joined()).isValid == false }
            ?? given.first { !isSame($0.name, $0.value) } ?? given.first
        throw EventBusError(
            .parameterInvalid, subject: source,
            expected: "\(wrong?.name ?? "") to be \(wrong?.type?.name ?? "a value") that the path gives back",
            found: "\"\(wrong?.value.joined(separator: "/") ?? "")\"")
    }

    /// Returns the match of a URL with this pattern.
    ///
    /// - Throws: ``EventBusError`` like ``RouteTable/match(_:)``.
    /// - Complexity: O(*n*) in the lengths of the URL and the pattern.
    package func match(_ url: String, options: RouterOptions = RouterOptions()) throws(EventBusError) -> RouteMatch {
        var table = RouteTable(options)
        let route = Route(self)
        try table.check(route, replacing: false)
        table.insert(route)
        return try table.match(url)
    }
}

extension EventBusError.Code {
    /// A value that the pattern needs is missing when a path is built; `expected` is the parameter's name.
    public static let parameterMissing = Self("parameterMissing")
    /// A value for an unknown name when a path is built.
    package static let parameterUnknown = Self("parameterUnknown")
    /// A parameter's value is empty, has another type than the parameter, or couldn't be read from the path.
    public static let parameterInvalid = Self("parameterInvalid")
}
