internal import AshlarCore

/// Routes whose parameters and query items are the properties of a value.
///
/// Properties named in the pattern are parameters, all others are items of the query. A property in an optional group
/// must be optional; a list is a catch-all or a repeated query item.
///
/// ```swift
/// nonisolated struct NotePage: Codable, Sendable {
///     var id: Int
///     var page: Int?
///     var tags: [String]?
/// }
///
/// let note = try TypedRoute<NotePage>("/notes/:id(int){/:page(int)}")
/// print(try note.path(NotePage(id: 5, page: 2, tags: ["a", "b"])))  // /notes/5/2?tags=a&tags=b
/// print(try note.value("/notes/5").id)  // 5
///
/// let router = Router(bus: EventBus())
/// try router.route(note) { page, _ in print(page.id) }
/// try await router.navigate(to: note, NotePage(id: 7))  // 7
/// ```
///
/// An enumeration has a pattern for each case:
///
/// ```swift
/// nonisolated enum Place: Codable, Sendable { case list, note(id: Int) }
/// let places = try TypedRoute<Place>(cases: ["list": "/notes", "note": "/notes/:id(int)"])
/// print(try places.path(.note(id: 5)))  // /notes/5
/// ```
public struct TypedRoute<Value: Codable & Sendable>: Sendable {
    private let cases: [(name: String?, pattern: RoutePattern)]
    private let table: RouteTable

    /// Creates a route from a pattern.
    ///
    /// - Throws: ``EventBusError`` for a malformed pattern.
    public init(_ pattern: String, options: RouterOptions = RouterOptions()) throws(EventBusError) {
        try self.init([(nil, pattern)], options)
    }

    /// Creates routes for the cases of an enumeration from their names and patterns.
    ///
    /// - Throws: ``EventBusError`` for a malformed pattern, or with the code `routeConflict`.
    public init(
        cases: KeyValuePairs<String, String>, options: RouterOptions = RouterOptions()
    ) throws(EventBusError) {
        try self.init(cases.map { ($0.key, $0.value) }, options)
    }

    private init(_ sources: [(String?, String)], _ options: RouterOptions) throws(EventBusError) {
        var options = options
        options.replacesConflicts = false
        table = try RouteTable(sources.map(\.1), options: options)
        cases = try sources.map { name, source throws(EventBusError) in
            (name, try RoutePattern(source, types: options.types))
        }
    }

    fileprivate var patterns: [RoutePattern] { cases.map(\.pattern) }

    // MARK: Paths

    /// Returns the path, or the URL if the pattern has a scheme and host, that represents a value.
    ///
    /// ``value(_:)`` returns the same value for the result; a value for which this isn't possible is refused, such as one
    /// with an empty list, or one whose path another case of the enumeration matches. Foundation's `URL` is written as
    /// its text, `UUID` in uppercase, and `Date` as `2026-11-20T13:19:38.25Z`, or as the seconds since 2001 if that isn't
    /// exact.
    ///
    /// - Throws: ``EventBusError`` like ``RoutePattern/path(_:query:fragment:options:)``, or with the code
    ///   `routeNotCodable` if the value has parts that no URL of the route represents.
    public func path(_ value: Value) throws(EventBusError) -> String {
        let encoded = try encode(value)
        let url = try path(of: encoded)
        do {
            if try encoded.hasSameContent(as: encode(self.value(url))) { return url }
        } catch {
            throw notCodable("a value that its URL gives back", found: url, underlying: error)
        }
        throw notCodable("a value that its URL gives back", found: url)
    }

    private func encode(_ value: Value) throws(EventBusError) -> EncodedValue {
        do { return try TreeEncoder.encode(value) } catch {
            throw notCodable("a value of plain properties", found: "\(error)")
        }
    }

    private func path(of encoded: EncodedValue) throws(EventBusError) -> String {
        let (pattern, members) = try members(of: encoded)
        var (parameters, query) = ([ByteText: [String]](), RouteQuery())
        for (name, value) in members {
            let texts = try texts(of: value, name)
            if pattern.parameterNames.contains(bytesOf: name) {
                let isScalar = if case .scalar = value.content { true } else { false }
                let segments = isScalar ? pattern.segments(of: texts[0], in: name) : texts
                if !segments.isEmpty { parameters[ByteText(name)] = segments }
            } else {
                query.items += texts.map { RouteQuery.Item(name, $0) }
            }
        }
        return try pattern.path(segments: parameters, query: query, options: table.options)
    }

    private typealias Members = [(key: String, value: EncodedValue)]

    /// Returns the pattern of a value, and the value's properties without those that are nil.
    private func members(of value: EncodedValue) throws(EventBusError) -> (RoutePattern, Members) {
        func properties(_ value: EncodedValue) -> Members? {
            switch value.content {
            case .object(let members): members.filter { !$0.value.isOmitted }
            case .empty: []
            default: nil
            }
        }
        guard let members = properties(value) else {
            throw notCodable("a structure or an enumeration", found: "\(Value.self)")
        }
        if cases.count == 1, cases[0].name == nil { return (cases[0].pattern, members) }
        // An enumeration is encoded as an object with the name of its case and its associated values.
        guard members.count == 1, let values = properties(members[0].value),
            let pattern = cases.first(where: { $0.name?.hasSameBytes(as: members[0].key) ?? false })?.pattern
        else {
            let known = cases.compactMap(\.name).joined(separator: ", ")
            throw notCodable("one of the cases \(known)", found: members.map(\.key).joined(separator: ", "))
        }
        return (pattern, values)
    }

    private func texts(of value: EncodedValue, _ name: String) throws(EventBusError) -> [String] {
        switch value.content {
        case .null: return []
        case .scalar(let number as any BinaryFloatingPoint) where !number.isFinite:
            throw notCodable("a finite number in \(name)", found: "\(number)")
        case .scalar(let seconds as Double) where "\(value.type)" == "Date": return [FoundationText.date(seconds)]
        case .scalar(let scalar): return ["\(scalar)"]
        case .array(let elements):
            var result: [String] = []
            for element in elements {
                if case .array = element.content { throw notCodable("plain elements in \(name)", found: "an array") }
                result += try texts(of: element, name)
            }
            return result
        case .object:
            if let url = FoundationText.url(value) { return [url] }
            throw notCodable("\(name) to be plain or a list", found: "an object")
        case .empty: throw notCodable("\(name) to be plain or a list", found: "an object")
        }
    }

    private func notCodable(
        _ expected: String, found: String, underlying: (any Error)? = nil
    ) -> EventBusError {
        EventBusError(
            .routeNotCodable, subject: patterns.map(\.source).joined(separator: ", "), expected: expected, found: found,
            underlying: underlying)
    }

    // MARK: Values

    /// Returns the value that a URL represents.
    ///
    /// - Throws: ``EventBusError`` like ``RouteTable/match(_:)``, or with the code `parameterInvalid` if a parameter or
    ///   a query item isn't a value of its property.
    public func value(_ url: String) throws(EventBusError) -> Value { try value(of: table.match(url)) }

    /// Returns the value of a match with one of the patterns.
    func value(of match: RouteMatch) throws(EventBusError) -> Value {
        let caseName = cases.first { $0.pattern.source.hasSameBytes(as: match.pattern) }?.name
        let tree = RouteValueTree(match, caseName: caseName)
        do { return try TreeDecoder(tree, at: 0).decode(Value.self) } catch {
            throw EventBusError(
                .parameterInvalid, subject: match.url, expected: "\(Value.self)",
                found: EventBusError.reason(of: error))
        }
    }
}

extension Router {
    /// Registers an action for typed routes, which receives their values.
    ///
    /// - Returns: The handle that ends the routes.
    /// - Throws: ``EventBusError`` like ``route(_:replacing:fileID:line:action:)``; then no pattern is registered.
    @discardableResult
    public func route<Value>(
        _ route: TypedRoute<Value>, replacing: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        @_inheritActorContext action: @escaping @isolated(any) @Sendable (Value, Navigation) async throws -> Void
    ) throws(EventBusError) -> Watch {
        let location = EventLocation(fileID, line)
        let run: @Sendable (Navigation) async throws -> Void = { navigation in
            try await action(route.value(of: navigation.match), navigation)
        }
        let sources = route.patterns.map(\.source)
        let routes = try sources.map { source throws(EventBusError) in
            Route(try RoutePattern(source, types: options.types), .run(run), at: location)
        }
        return try register(routes, replacing: replacing, watched: sources.joined(separator: ", "))
    }

    /// Navigates to a value of typed routes.
    ///
    /// - Throws: The errors of ``TypedRoute/path(_:)`` and ``navigate(to:options:)``.
    @discardableResult
    public func navigate<Value>(
        to route: TypedRoute<Value>, _ value: Value, options: (any Sendable)? = nil
    ) async throws -> Navigation {
        try await navigate(to: route.path(value), options: options)
    }
}

extension EncodedValue {
    /// Returns whether two encoded values have the same properties with the same texts; a property that is nil counts as
    /// missing.
    fileprivate func hasSameContent(as other: EncodedValue) -> Bool {
        switch (content, other.content) {
        case (.null, .null), (.empty, .empty): return true
        case (.scalar(let a), .scalar(let b)): return "\(a)".hasSameBytes(as: "\(b)")
        case (.array(let a), .array(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { $0.hasSameContent(as: $1) }
        case (.object(let a), .object(let b)):
            let isPresent: ((key: String, value: EncodedValue)) -> Bool = { member in
                if case .null = member.value.content { false } else { !member.value.isOmitted }
            }
            let others = Dictionary(b.filter(isPresent).map { (ByteText($0.key), $0.value) }) { $1 }
            let own = a.filter(isPresent)
            return own.count == others.count
                && own.allSatisfy { key, value in others[ByteText(key)].map { value.hasSameContent(as: $0) } ?? false }
        default: return false
        }
    }
}

/// The texts of Foundation's types, which this module recognizes by their names and encoded forms, without Foundation.
enum FoundationText {
    /// The only property of an encoded URL without a base.
    static let urlKey = "relative"

    static func url(_ value: EncodedValue) -> String? {
        guard "\(value.type)" == "URL", case .object(let all) = value.content else { return nil }
        let members = all.filter { !$0.value.isOmitted }
        guard members.count == 1, members[0].key == urlKey, case .scalar(let text as String) = members[0].value.content
        else { return nil }
        return text
    }

    /// Returns a date, which is encoded as the seconds since 2001, in the format of RFC 3339 if that is exact.
    static func date(_ seconds: Double) -> String {
        let whole = seconds.rounded(.down)
        guard let since2001 = Int64(exactly: whole), abs(since2001) < 1 << 40 else { return "\(seconds)" }
        let nanoseconds = Int(((seconds - whole) * 1e9).rounded())
        guard nanoseconds < 1_000_000_000 else { return "\(seconds)" }
        for digits in [0, 3, 6, 9] {
            let text = RFC3339.format(
                seconds: since2001 + RFC3339.secondsFrom1970To2001, nanoseconds: nanoseconds, digits: digits)
            if RFC3339.parse(text.utf8)?.secondsSince2001 == seconds { return text }
        }
        return "\(seconds)"
    }
}

extension EventBusError.Code {
    /// The value has parts that no URL of the route can represent.
    package static let routeNotCodable = Self("routeNotCodable")
}
