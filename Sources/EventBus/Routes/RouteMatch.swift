/// The decoded values that a route captured from a URL, by the names in its pattern.
///
/// Values are never empty. The parameters of an omitted optional group are missing.
public struct RouteParameters: Sendable, RandomAccessCollection, CustomStringConvertible {
    // Stored here instead of in the match, so that reading a value of a match copies none of them.
    let url: String
    let target: RouteTarget
    let captures: RouteCaptures

    /// The names, in the order of the pattern.
    package var names: [String] { target.names }

    /// The number of the first parameter, 0.
    public var startIndex: Int { 0 }
    /// The number of parameters.
    public var endIndex: Int { target.names.count }
    /// The name and the value of the parameter at a position.
    public subscript(_ position: Int) -> (name: String, value: String) {
        (target.names[position], text(position))
    }

    /// The value of the parameter with a name; nil if there is none.
    ///
    /// The value of a catch-all consists of its decoded segments joined with `/`; for the segments, see
    /// ``segments(of:)``.
    public subscript(_ name: String) -> String? { index(of: name).map { text($0) } }

    /// Returns the decoded segments of a parameter: one, or several for a catch-all; nil if there is no such parameter.
    public func segments(of name: String) -> [String]? {
        index(of: name).map { segments($0) }
    }

    /// Returns the number of a parameter; names are compared by bytes.
    private func index(of name: String) -> Int? {
        let names = target.names
        for index in names.indices where names[index].hasSameBytes(as: name) { return index }
        return nil
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
        let (text, converted) = try convert(name, to: type)
        guard let value = converted ?? Value(text) else { throw invalid(name, text, type) }
        return value
    }

    /// Returns the value to which the parameter's ``RouteParameterType`` converted the text during the match.
    ///
    /// - Throws: ``EventBusError`` with the code `parameterMissing`, or `parameterInvalid` if the parameter's type doesn't
    ///   convert to this type.
    public func value<Value>(_ name: String, as type: Value.Type = Value.self) throws(EventBusError) -> Value {
        let (text, converted) = try convert(name, to: type)
        guard let converted else { throw invalid(name, text, type) }
        return converted
    }

    private func convert<Value>(_ name: String, to: Value.Type) throws(EventBusError) -> (text: String, value: Value?) {
        guard let index = index(of: name) else {
            throw EventBusError(
                .parameterMissing, subject: target.pattern.source, expected: name,
                found: "\(names.isEmpty ? "no parameters" : names.joined(separator: ", "))")
        }
        return (text(index), converted(index) as? Value)
    }

    private func invalid(_ name: String, _ text: String, _ type: Any.Type) -> EventBusError {
        EventBusError(.parameterInvalid, subject: url, expected: "\(name) to be \(type)", found: "\"\(text)\"")
    }

    /// The values by name.
    public var dictionary: [String: String] {
        Dictionary(map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    }

    /// The names and values, such as `id=5, page=2`.
    public var description: String { map { "\($0.name)=\($0.value)" }.joined(separator: ", ") }

    /// The value to which the parameter's type converted the text; nil if the type doesn't convert.
    func converted(_ index: Int) -> (any Sendable)? { captures.converted(index) }

    /// Returns the text of a capture.
    func text(_ index: Int) -> String {
        if index == 0, let parameter = target.authority?.parameter { return hostValue(parameter) }
        return RouteMatch.decoded(url, captures[index])
    }

    private func hostValue(_ parameter: RouteHostParameter) -> String {
        let (authority, bytes) = (captures[0], Array(url.utf8))
        // Matching has checked the authority.
        let host = try? RouteHost.normalForm(of: authority, in: bytes, scheme: 0..<authority.lowerBound - 3)
        return host.map { parameter.value(in: $0) } ?? ""
    }

    /// Returns the decoded segments of a capture.
    func segments(_ index: Int) -> [String] {
        let isCatchAll = target.pattern.variants[target.variant].segments.last?.kind == .catchAll
        guard isCatchAll, index == endIndex - 1 else { return [text(index)] }
        let bytes = url.utf8
        let from = bytes.index(bytes.startIndex, offsetBy: captures[index].lowerBound)
        let raw = bytes[from..<bytes.index(from, offsetBy: captures[index].count)]
        return raw.split(separator: .slash, omittingEmptySubsequences: false).map { part in
            let text = String(Substring(part))
            return RouteMatch.decoded(text, 0..<text.utf8.count)
        }
    }
}
