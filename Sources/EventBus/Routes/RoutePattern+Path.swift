internal import AshlarCore

extension RoutePattern {
    /// Returns the path for values, or the URL if the pattern has a scheme and host.
    ///
    /// Matching the result with this pattern returns exactly `parameters`. Values are encoded; a value for which this
    /// isn't possible is refused.
    ///
    /// ```swift
    /// let pattern = try RoutePattern("/files/:owner/*path")
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
    ///   `pathTooLong` or another code if the result exceeds a limit.
    /// - Complexity: O(*n*) in the length of the result.
    public func path(
        _ parameters: [String: String] = [:], query: RouteQuery = RouteQuery(), fragment: String? = nil,
        options: RouterOptions = RouterOptions()
    ) throws(EventBusError) -> String {
        let values = parameters.map { ($0, segments(of: $1, in: $0)) }
        return try path(segments: Dictionary(values) { $1 }, query: query, fragment: fragment, options: options)
    }

    /// Returns the segments of a parameter's text: several for a catch-all.
    func segments(of text: String, in name: String) -> [String] {
        let isCatchAll = segments.contains { segment in
            if case .catchAll(let catchAll) = segment { catchAll == name } else { false }
        }
        guard isCatchAll else { return [text] }
        return text.utf8.split(separator: .slash, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    /// Returns the path for the segments of values: one, or several for a catch-all.
    func path(
        segments values: [String: [String]], query: RouteQuery = RouteQuery(), fragment: String? = nil,
        options: RouterOptions = RouterOptions()
    ) throws(EventBusError) -> String {
        try checkNames(values)
        var result = authority ?? ""
        for segment in segments {
            switch segment {
            case .literal(let text): result += "/" + Self.encoded(text)
            case .parameter(let parameter):
                result += "/" + Self.encoded(values[parameter.name]?.joined(separator: "/") ?? "")
            case .catchAll(let name):
                for part in values[name] ?? [] { result += "/" + Self.encoded(part) }
            }
        }
        if segments.isEmpty { result += "/" }
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

    /// Checks that there is a value for each parameter and for no other name.
    private func checkNames(_ values: [String: [String]]) throws(EventBusError) {
        let given = values.keys.sorted()
        if let unknown = given.first(where: { !parameterNames.contains($0) }) {
            let known = parameterNames.isEmpty ? "no parameters" : parameterNames.joined(separator: ", ")
            throw EventBusError(.parameterUnknown, subject: source, expected: known, found: unknown)
        }
        if let missing = parameterNames.first(where: { values[$0] == nil }) {
            throw EventBusError(
                .parameterMissing, subject: source, expected: missing,
                found: given.isEmpty ? "no values" : given.joined(separator: ", "))
        }
    }

    private func checkRoundTrip(
        _ path: String, _ values: [String: [String]], _ options: RouterOptions
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
            return zip(found, value).allSatisfy { $0 == $1 }
        }
        if let read, read.values.count == values.count, values.allSatisfy({ isSame($0, $1) }) { return }
        let given = segments.compactMap { segment in
            segment.name.flatMap { name in values[name].map { (name: name, type: segment.type, value: $0) } }
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
