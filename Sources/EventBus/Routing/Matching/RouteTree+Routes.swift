extension RouteTree {
    /// Adds a pattern and returns the routes that it replaces; after an error, the tree is unchanged.
    mutating func insert(
        _ pattern: RoutePattern, route: (any RouteEntry)? = nil, replacing: Bool = false
    ) throws(EventBusError) -> [any RouteEntry] {
        // Every place is checked before the first change: empty nodes match nothing.
        var places: [(place: Place, target: RouteTarget)] = []
        var replaced: [any RouteEntry] = []
        for (index, variant) in pattern.variants.enumerated() {
            guard let place = place(of: variant, pattern.authority, adding: true) else { continue }
            let target = RouteTarget(pattern, variant: index, route: route)
            if let own = places.first(where: { $0.place == place })?.target {
                // Two choices of groups can match the same paths if their parameters also have the same names.
                if own.names == target.names { continue }
                throw EventBusError(
                    .init("patternAmbiguousGroups"), subject: pattern.source,
                    expected: "groups whose choices match different paths",
                    found: "\(own.names) and \(target.names) for the same path")
            }
            if let existing = self.target(at: place) {
                guard replacing else {
                    throw EventBusError(
                        .routeConflict, subject: pattern.source, expected: "paths that no other route matches",
                        found: existing.pattern.source, location: route?.location,
                        otherLocation: existing.route?.location)
                }
                if let route = existing.route { replaced.append(route) }
            }
            places.append((place, target))
        }
        for (place, target) in places { set(target, at: place) }
        return replaced
    }

    /// Removes a route from its remaining places.
    mutating func remove(_ route: any RouteEntry) -> Bool {
        let places = places(of: route)
        for place in places { set(nil, at: place) }
        // The nodes of removed routes remain until they outnumber the others, so removal takes O(1), amortized.
        if removedCount > 64, removedCount > liveCount { rebuild() }
        return !places.isEmpty
    }

    /// Returns the route with exactly this pattern.
    mutating func route(with pattern: RoutePattern) -> (any RouteEntry)? {
        for variant in pattern.variants {
            guard let place = place(of: variant, pattern.authority, adding: false) else { continue }
            if let route = target(at: place)?.route, route.pattern.source.hasSameBytes(as: pattern.source) {
                return route
            }
        }
        return nil
    }

    /// Returns whether the tree contains a route.
    mutating func holds(_ route: any RouteEntry) -> Bool { !places(of: route).isEmpty }

    private mutating func places(of route: any RouteEntry) -> [Place] {
        var places: [Place] = []
        for variant in route.pattern.variants {
            guard let place = place(of: variant, route.pattern.authority, adding: false),
                target(at: place)?.route === route
            else { continue }
            places.append(place)
        }
        return places
    }

    private mutating func rebuild() {
        var new = RouteTree(routerOptions)
        for target in liveTargets {
            let variant = target.pattern.variants[target.variant]
            guard let place = new.place(of: variant, target.pattern.authority, adding: true) else { continue }
            new.set(target, at: place)
        }
        self = new
    }
}
