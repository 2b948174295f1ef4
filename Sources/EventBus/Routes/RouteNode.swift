internal import AshlarCore

/// A node of the tree of routes: the segments that can follow, and the route that ends here.
///
/// A tree is a value: a change copies only the nodes on its path, and only if a snapshot shares them.
struct RouteNode: Sendable {
    /// A parameter or a catch-all, and the node after it.
    struct Parameter: Sendable {
        let segment: RouteSegment
        let rank: RouteRank
        var node = RouteNode()
    }

    private var literals: [RouteKey: RouteNode] = [:]
    /// The parameters, and last the catch-all, in the order in which they are tried.
    private(set) var parameters: [Parameter] = []
    private(set) var route: Route?

    /// Returns the node after a segment that is a literal.
    func next(after url: RouteURL, at index: Int) -> RouteNode? {
        // An empty dictionary would hash the segment.
        literals.isEmpty ? nil : literals[url.key(at: index)]
    }

    var isEmpty: Bool { route == nil && literals.isEmpty && parameters.isEmpty }

    /// Returns the route at a path of a pattern.
    func route(at path: ArraySlice<RouteSegment>, _ types: [RouteParameterType]) -> Route? {
        guard let segment = path.first else { return route }
        if case .literal(let text) = segment {
            return literals[RouteKey(text)]?.route(at: path.dropFirst(), types)
        }
        let rank = RouteRank(segment, types)
        return parameters.first { $0.rank == rank }?.node.route(at: path.dropFirst(), types)
    }

    /// Sets the route at a path of a pattern; nil removes it and the nodes that are then empty.
    mutating func set(_ route: Route?, at path: ArraySlice<RouteSegment>, _ types: [RouteParameterType]) {
        guard let segment = path.first else {
            self.route = route
            return
        }
        if case .literal(let text) = segment {
            let key = RouteKey(text)
            literals[key, default: RouteNode()].set(route, at: path.dropFirst(), types)
            if route == nil, literals[key]?.isEmpty == true { literals[key] = nil }
            return
        }
        let rank = RouteRank(segment, types)
        let index = parameters.firstIndex { $0.rank >= rank } ?? parameters.endIndex
        if index == parameters.endIndex || parameters[index].rank != rank {
            parameters.insert(Parameter(segment: segment, rank: rank), at: index)
        }
        parameters[index].node.set(route, at: path.dropFirst(), types)
        if route == nil, parameters[index].node.isEmpty { parameters.remove(at: index) }
    }

    /// All routes in this node and below it, in the order in which they are tried.
    ///
    /// - Complexity: O(*n* log *n*) in the number of nodes.
    var routes: [Route] {
        let literals = literals.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
        return [route].compactMap(\.self) + literals.flatMap(\.value.routes) + parameters.flatMap(\.node.routes)
    }
}

/// A search for the route of a URL, by precedence at each segment from the left, with full backtracking.
///
/// A node represents one sequence of choices, so each is visited at most once.
struct RouteSearch {
    let url: RouteURL
    /// The values captured on the path to the current node.
    private var values: [RouteValue] = []
    private var steps = 0

    init(_ url: RouteURL) { self.url = url }

    /// Returns the route below a node for the segments from a position to the end; nil if there is none.
    mutating func find(from node: RouteNode, at index: Int = 0) throws(EventBusError) -> Route? {
        guard index < url.matchedCount else { return node.route }
        if let next = node.next(after: url, at: index) {
            try countStep()
            if let route = try find(from: next, at: index + 1) { return route }
        }
        // By index, because a copy of an element counts all its references.
        for choice in node.parameters.indices {
            try countStep()
            let count = values.count
            switch node.parameters[choice].segment {
            case .literal: continue
            case .catchAll:
                // A single slash isn't a value.
                if index == url.matchedCount - 1, url.isEmpty(at: index) { continue }
                let segments = url.decodedPath(from: index)
                values.append(RouteValue(text: segments.joined(separator: "/"), parts: segments))
                return node.parameters[choice].node.route
            case .parameter(let parameter):
                guard let value = parameter.match(url, at: index) else { continue }
                values.append(value)
            }
            if let route = try find(from: node.parameters[choice].node, at: index + 1) { return route }
            values.removeSubrange(count...)
        }
        return nil
    }

    /// Returns the match with a route that was found.
    func match(with route: Route) -> RouteMatch { RouteMatch(url, route, values) }

    private mutating func countStep() throws(EventBusError) {
        steps += 1
        guard steps <= RouteLimits.steps else {
            throw EventBusError(
                .matchTooCostly, subject: url.text, expected: "at most \(RouteLimits.steps) places of the tree to visit"
            )
        }
    }
}

/// The precedence of a segment among the segments of a node: the tree tries the smaller rank first.
///
/// Segments that match the same texts have equal ranks.
struct RouteRank: Comparable, Sendable {
    /// The kinds of segments, in the order in which they are tried.
    enum Kind: Int, Sendable {
        case literal
        case typed
        case plain
        case catchAll
    }

    let kind: Kind
    /// The order within a kind: the text of a literal; an earlier type, then its name.
    private var order: [Int] = []

    init(_ segment: RouteSegment, _ types: [RouteParameterType]) {
        switch segment {
        case .literal(let text):
            kind = .literal
            order = text.utf8.map { Int($0) }
        case .catchAll: kind = .catchAll
        case .parameter(let parameter):
            guard let type = parameter.type else {
                kind = .plain
                return
            }
            kind = .typed
            // Of types with the same name, the last one is in use.
            let all = types + RouteParameterType.restricting
            let index = types.lastIndex { $0.name == type.name } ?? all.firstIndex { $0.name == type.name }
            order = [index ?? all.count] + type.name.utf8.map { Int($0) }
        }
    }

    static func < (a: Self, b: Self) -> Bool {
        a.kind == b.kind ? a.order.lexicographicallyPrecedes(b.order) : a.kind.rawValue < b.kind.rawValue
    }
}

extension EventBusError.Code {
    /// A match would try more literals and parameters than the limit.
    package static let matchTooCostly = Self("matchTooCostly")
}
