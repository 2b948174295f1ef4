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
    ///   `pathTooLong` or another code if the result exceeds the limits in `options`; `patternMalformedHost` if the
    ///   scheme or host of the pattern is `*`.
    /// - Complexity: O(*n*) in the length of the result.
    public func path(
        _ parameters: [String: String] = [:], query: RouteQuery = RouteQuery(), fragment: String? = nil,
        options: RouterOptions = RouterOptions()
    ) throws(EventBusError) -> String {
        let values = Dictionary(parameters.map { (ByteText($0), $1) }) { $1 }
        let variant = try variant(for: values)
        var result: [UInt8] = []
        if let authority {
            let value = authority.parameter.flatMap { values[ByteText($0.name)] }
            guard let scheme = authority.scheme, let host = authority.host ?? value else {
                throw EventBusError(
                    .init("patternMalformedHost"), subject: source, offset: 0,
                    expected: "one scheme and host to build a URL",
                    found: authority.text)
            }
            result.append(contentsOf: "\(scheme)://\(authority.parameter?.prefix ?? "")".utf8)
            result.append(contentsOf: "\(host)\(authority.parameter?.suffix ?? "")".utf8)
        }
        var names = variant.names[...]
        if authority?.parameter != nil { names.removeFirst() }
        for segment in variant.segments {
            result.append(.slash)
            RoutePercent.encode(variant.text[segment.prefix], as: .segment, into: &result)
            guard segment.kind != .literal, let name = names.popFirst(), let value = values[ByteText(name)] else {
                continue
            }
            if segment.kind == .catchAll {
                for (index, part) in value.utf8.split(separator: .slash, omittingEmptySubsequences: false).enumerated()
                {
                    if index > 0 { result.append(.slash) }
                    RoutePercent.encode(part, as: .segment, into: &result)
                }
            } else {
                RoutePercent.encode(value.utf8, as: .segment, into: &result)
            }
            RoutePercent.encode(variant.text[segment.suffix], as: .segment, into: &result)
        }
        if variant.segments.isEmpty { result.append(.slash) }
        if !query.items.isEmpty {
            result.append(.question)
            result.append(contentsOf: query.description.utf8)
        }
        if let fragment {
            result.append(.hashMark)
            RoutePercent.encode(fragment.utf8, as: .fragment, into: &result)
        }
        let path = String(decoding: result, as: UTF8.self)
        try checkRoundTrip(path, values, options)
        return path
    }

    /// Returns the shortest variant of the pattern that has exactly these parameters.
    private func variant(for values: [ByteText: String]) throws(EventBusError) -> RouteVariant {
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
        _ path: String, _ values: [ByteText: String], _ options: RouterOptions
    ) throws(EventBusError) {
        var read: RouteParameters?
        do {
            read = try match(path, options: options).parameters
        } catch  where error.code != .routeNotFound {
            throw error
        } catch {
            // The parameters that don't match are found one by one.
        }
        func isSame(_ name: String, _ value: String) -> Bool { read?[name]?.hasSameBytes(as: value) ?? false }
        if let read, read.count == values.count, values.allSatisfy({ isSame($0.text, $1) }) { return }
        let given = zip(parameterNames, parameterTypes).compactMap { name, type in
            values[ByteText(name)].map { (name: name, type: type, value: $0) }
        }
        let wrong =
            given.first { $0.value.isEmpty || $0.type?.accepts($0.value) == false }
            ?? given.first { !isSame($0.name, $0.value) } ?? given.first
        throw EventBusError(
            .parameterInvalid, subject: source,
            expected: "\(wrong?.name ?? "") to be \(wrong?.type?.name ?? "a value") that the path gives back",
            found: "\"\(wrong?.value ?? "")\"")
    }

    /// The types of all parameters, in the order of ``parameterNames``; nil for any value.
    private var parameterTypes: [RouteParameterType?] {
        (authority?.parameter.map { [$0.type] } ?? [])
            + variants[0].segments.filter { $0.kind != .literal }.map(\.type)
    }

    /// Returns the match of a URL with this pattern.
    ///
    /// - Throws: ``EventBusError`` like ``RouteTable/match(_:)``.
    /// - Complexity: O(*n*) in the lengths of the URL and the pattern. To match many URLs, create a ``RouteTable``.
    public func match(_ url: String, options: RouterOptions = RouterOptions()) throws(EventBusError) -> RouteMatch {
        var tree = RouteTree(options)
        _ = try tree.insert(self)
        return try RouteTable(tree).match(url)
    }
}
