internal import AshlarCore

/// Routes whose parameters and query items are the properties of a value.
///
/// Properties named in the pattern are parameters, all others are items of the query. A property in an optional group
/// must be optional; a list is a catch-all or a repeated query item.
///
/// ```swift
/// struct NotePage: Codable, Sendable {
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
/// enum Place: Codable, Sendable { case list, note(id: Int) }
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
    /// - Throws: ``EventBusError`` like ``RoutePattern/path(_:query:fragment:options:)``, or with the code
    ///   `routeNotCodable` if the value has parts that no URL can represent.
    public func path(_ value: Value) throws(EventBusError) -> String {
        let encoded: EncodedValue
        do { encoded = try TreeEncoder.encode(value) } catch {
            throw notCodable("a value of plain properties", found: "\(error)")
        }
        let (pattern, members) = try members(of: encoded)
        var (parameters, query) = ([String: String](), RouteQuery())
        for (name, value) in members {
            let texts = try texts(of: value, name)
            if pattern.parameterNames.contains(bytesOf: name) {
                if !texts.isEmpty { parameters[name] = texts.joined(separator: "/") }
            } else {
                query.items += texts.map { RouteQuery.Item(name, $0) }
            }
        }
        return try pattern.path(parameters, query: query, options: table.options)
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
        case .scalar(let scalar): return ["\(scalar)"]
        case .array(let elements):
            var result: [String] = []
            for element in elements {
                if case .array = element.content { throw notCodable("plain elements in \(name)", found: "an array") }
                result += try texts(of: element, name)
            }
            return result
        case .object, .empty: throw notCodable("\(name) to be plain or a list", found: "an object")
        }
    }

    private func notCodable(_ expected: String, found: String) -> EventBusError {
        EventBusError(
            .routeNotCodable, subject: patterns.map(\.source).joined(separator: ", "), expected: expected, found: found)
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
    /// - Throws: ``EventBusError`` like ``route(_:replacing:fileID:line:column:action:)``; then no pattern is
    ///   registered.
    @discardableResult
    public func route<Value>(
        _ route: TypedRoute<Value>, replacing: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        column: UInt32 = #column, action: @escaping @Sendable (Value, Navigation) async throws -> Void
    ) throws(EventBusError) -> Watch {
        let location = EventLocation(fileID, line, column)
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

extension EventBusError.Code {
    /// The value has parts that no URL of the route can represent.
    package static let routeNotCodable = Self("routeNotCodable")
}
