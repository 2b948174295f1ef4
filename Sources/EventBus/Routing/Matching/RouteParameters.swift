/// The decoded values that a route captured from a URL, by the names in its pattern.
///
/// Values are never empty. The parameters of an omitted optional group are missing.
public struct RouteParameters: Sendable, RandomAccessCollection, CustomStringConvertible {
    // Stored here instead of in the match, so that reading a value of a match copies none of them.
    let url: String
    let target: RouteTarget
    let captures: RouteCaptures

    /// The names, in the order of the pattern.
    public var names: [String] { target.names }

    /// The number of the first parameter, 0.
    public var startIndex: Int { 0 }
    /// The number of parameters.
    public var endIndex: Int { captures.count }
    /// The name and the value of the parameter at a position.
    public subscript(_ position: Int) -> (name: String, value: String) {
        (target.names[position], value(position))
    }

    /// The value of the parameter with a name; nil if there is none.
    ///
    /// The value of a catch-all consists of its decoded segments joined with `/`; for the segments, see
    /// ``segments(of:)``.
    public subscript(_ name: String) -> String? {
        let names = target.names
        for index in names.indices where names[index] == name { return value(index) }
        return nil
    }

    /// Returns the decoded segments of a parameter: one, or several for a catch-all; nil if there is no such parameter.
    public func segments(of name: String) -> [String]? {
        target.names.firstIndex(of: name).map { index in
            let isCatchAll = target.pattern.variants[target.variant].segments.last?.kind == .catchAll
            return isCatchAll && index == endIndex - 1 ? segments(index) : [value(index)]
        }
    }

    /// Returns the value of a parameter as a number, a Boolean or another type with a text form.
    ///
    /// ```swift
    /// let match = try RoutePattern("/notes/:id(int)").match("/notes/5")
    /// let id = try match.parameters.value("id", as: Int.self)
    /// ```
    ///
    /// - Throws: ``EventBusError`` with the code `parameterMissing`, or `parameterInvalid` if the text has another
    ///   type.
    public func value<Value: LosslessStringConvertible>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(EventBusError) -> Value {
        guard let text = self[name] else {
            throw EventBusError(
                .parameterMissing, subject: target.pattern.source, expected: name,
                found: "\(names.isEmpty ? "no parameters" : names.joined(separator: ", "))")
        }
        guard let value = Value(text) else {
            throw EventBusError(
                .parameterInvalid, subject: url, expected: "\(name) to be \(Value.self)", found: "\"\(text)\"")
        }
        return value
    }

    /// The values by name.
    public var dictionary: [String: String] {
        Dictionary(map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    }

    /// The names and values, such as `id=5, page=2`.
    public var description: String { map { "\($0.name)=\($0.value)" }.joined(separator: ", ") }

    /// Returns the value of a capture.
    private func value(_ index: Int) -> String { RouteMatch.decoded(url, captures[index]) }

    /// Returns the decoded segments of a capture.
    private func segments(_ index: Int) -> [String] {
        let bytes = url.utf8
        let from = bytes.index(bytes.startIndex, offsetBy: captures[index].lowerBound)
        let raw = bytes[from..<bytes.index(from, offsetBy: captures[index].count)]
        return raw.split(separator: .slash, omittingEmptySubsequences: false).map { part in
            let text = String(Substring(part))
            return RouteMatch.decoded(text, 0..<text.utf8.count)
        }
    }
}
