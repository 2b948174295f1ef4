/// The values that a route captured from a URL, decoded, under the names of its pattern.
///
/// Values are never empty. Where an optional group was left out, its parameters are not there.
public struct RouteParameters: Sendable, RandomAccessCollection, CustomStringConvertible {
    @usableFromInline let match: RouteMatch

    @inlinable
    init(match: RouteMatch) { self.match = match }

    /// The names, in the order of the pattern.
    public var names: [String] { match.target.names }

    /// The number of the first parameter, 0.
    public var startIndex: Int { 0 }
    /// How many parameters there are.
    public var endIndex: Int { match.captures.count }
    /// The name and the value of the parameter at a position.
    public subscript(_ position: Int) -> (name: String, value: String) {
        (match.target.names[position], match.value(position))
    }

    /// The value of the parameter with this name, nil if there is none.
    ///
    /// The value of a catch-all is its decoded segments joined with `/`; see ``segments(of:)`` to keep them apart.
    public subscript(_ name: String) -> String? {
        guard let index = match.target.names.firstIndex(of: name) else { return nil }
        return match.value(index)
    }

    /// Returns the decoded segments of a parameter: one, or several for a catch-all; nil if there is none.
    public func segments(of name: String) -> [String]? {
        match.target.names.firstIndex(of: name).map { index in
            let isCatchAll = match.target.pattern.variants[match.target.variant].segments.last?.kind == .catchAll
            return isCatchAll && index == endIndex - 1 ? match.segments(index) : [match.value(index)]
        }
    }

    /// Returns the value of a parameter as a number, a Boolean or another type with a text form.
    ///
    /// ```swift
    /// let match = try RoutePattern("/notes/:id(int)").match("/notes/5")
    /// let id = try match.parameters.value("id", as: Int.self)
    /// ```
    ///
    /// - Throws: ``EventBusError`` with the code `parameterMissing`, or `parameterInvalid` if the text is no such value.
    public func value<Value: LosslessStringConvertible>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(EventBusError) -> Value {
        guard let text = self[name] else {
            throw EventBusError(
                .parameterMissing, subject: match.pattern, expected: name,
                found: "\(names.isEmpty ? "no parameters" : names.joined(separator: ", "))")
        }
        guard let value = Value(text) else {
            throw EventBusError(
                .parameterInvalid, subject: match.url, expected: "\(name) to be \(Value.self)", found: "\"\(text)\"")
        }
        return value
    }

    /// The values by name.
    public var dictionary: [String: String] {
        Dictionary(map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    }

    /// The names and values, such as `id=5, page=2`.
    public var description: String { map { "\($0.name)=\($0.value)" }.joined(separator: ", ") }
}
