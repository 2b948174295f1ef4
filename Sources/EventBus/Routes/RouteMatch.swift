/// A URL and the route that matches it.
public struct RouteMatch: Sendable, CustomStringConvertible {
    /// The captured values, in the order of the pattern.
    public let parameters: RouteParameters

    init(_ url: RouteURL, _ route: Route, _ values: [RouteValue]) {
        parameters = RouteParameters(url: url, route: route, values: values)
    }

    /// The parts of the URL.
    var parts: RouteURL { parameters.url }

    var route: Route { parameters.route }

    /// The URL, as passed to the match.
    public var url: String { parts.text }

    /// The pattern of the route, as registered.
    public var pattern: String { route.pattern.source }

    /// The scheme in lowercase; nil for a path.
    package var scheme: String? { parts.authority?.scheme }

    /// The host in normal form, with its port unless that is the scheme's default; nil for a path.
    package var host: String? { parts.authority?.host }

    /// The path, percent-encoded as in the URL; `/` for a URL that ends with its host.
    package var path: String {
        let path = url.utf8.dropFirst(parts.pathRange.lowerBound).prefix(parts.pathRange.count)
        return path.isEmpty ? "/" : String(Substring(path))
    }

    /// The decoded query; empty if the URL has none.
    public var query: RouteQuery { parts.query }

    /// The decoded text after `#`; nil if the URL has none.
    public var fragment: String? { parts.fragment }

    /// The URL, an arrow and the pattern.
    public var description: String { "\(url) -> \(pattern)" }
}

/// The decoded values that a route captured from a URL, by the names in its pattern.
///
/// Values are never empty.
public struct RouteParameters: Sendable, CustomStringConvertible {
    let url: RouteURL
    let route: Route
    let values: [RouteValue]

    /// The names, in the order of the pattern.
    package var names: [String] { route.pattern.parameterNames }

    /// The value of the parameter with a name; nil if there is none.
    ///
    /// The value of a catch-all consists of its decoded segments joined with `/`; for the segments, see
    /// ``segments(of:)``.
    public subscript(_ name: String) -> String? { index(of: name).map { values[$0].text } }

    /// Returns the decoded segments of a parameter: one, or several for a catch-all; nil if there is no such parameter.
    public func segments(of name: String) -> [String]? { index(of: name).map { values[$0].segments } }

    private func index(of name: String) -> Int? { names.firstIndex { $0 == name } }

    /// Returns the value to which the parameter's ``RouteParameterType`` converted the text during the match, or the
    /// text as a number, a Boolean or another `LosslessStringConvertible` type.
    ///
    /// ```swift
    /// let match = try RouteTable(["/notes/:id(int)"]).match("/notes/5")
    /// let id = try match.parameters.value("id", as: Int.self)
    /// ```
    ///
    /// - Throws: ``EventBusError`` with the code `parameterMissing`, or `parameterInvalid` if the text has another
    ///   type.
    public func value<Value>(_ name: String, as type: Value.Type = Value.self) throws(EventBusError) -> Value {
        guard let index = index(of: name) else {
            throw EventBusError(
                .parameterMissing, subject: route.pattern.source, expected: name,
                found: "\(names.isEmpty ? "no parameters" : names.joined(separator: ", "))")
        }
        let text = values[index].text
        if let converted = values[index].converted as? Value { return converted }
        let textType = type as? any LosslessStringConvertible.Type
        if let value = textType?.init(text) as? Value { return value }
        throw EventBusError(
            .parameterInvalid, subject: url.text, expected: "\(name) to be \(type)", found: "\"\(text)\"")
    }

    /// The values by name.
    public var dictionary: [String: String] {
        Dictionary(zip(names, values.map(\.text)), uniquingKeysWith: { _, last in last })
    }

    /// The names and values, such as `id=5, page=2`.
    public var description: String { zip(names, values).map { "\($0)=\($1.text)" }.joined(separator: ", ") }
}

/// A value captured from a URL.
struct RouteValue: Sendable {
    /// The decoded text; the segments of a catch-all are joined with `/`.
    let text: String
    /// The value to which the parameter's type converted the text; nil if the type doesn't convert.
    var converted: (any Sendable)?
    /// The decoded segments of a catch-all.
    var parts: [String]?
    /// The decoded segments: one, or several for a catch-all.
    var segments: [String] { parts ?? [text] }
}

extension RouteValue {
    /// Returns the value of a parameter in a segment, which its type may convert; nil for another segment.
    init?(_ segment: String, of parameter: RouteParameter) {
        guard !segment.isEmpty else { return nil }
        text = segment
        guard let type = parameter.type else { return }
        let (isValid, converted) = type.check(segment)
        guard isValid else { return nil }
        self.converted = converted
    }
}
