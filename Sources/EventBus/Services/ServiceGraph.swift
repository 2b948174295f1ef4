/// The registered services and their needs.
package struct ServiceGraph {
    package struct Definition: Sendable {
        let name: String
        let needs: [String]
        let restart: ServiceRestart
        /// The type, if the service was registered with a type.
        let type: (any Service.Type)?

        package init(
            name: String, needs: [String] = [], restart: ServiceRestart = .never, type: (any Service.Type)? = nil
        ) {
            (self.name, self.needs, self.restart, self.type) = (name, needs, restart, type)
        }
    }

    private var definitions: [String: Definition] = [:]
    private var dependantsByNeed: [String: [String]] = [:]
    /// The names, in the order of registration.
    private(set) var names: [String] = []

    subscript(name: String) -> Definition? { definitions[name] }

    /// Returns the services that need this one, which doesn't have to be registered.
    func dependants(of name: String) -> [String] { dependantsByNeed[name] ?? [] }

    /// Adds all services or, after an error, none; returns the new names.
    mutating func add(_ new: [Definition]) throws(EventBusError) -> [String] {
        let count = names.count
        do throws(EventBusError) {
            for definition in new { try insert(definition) }
            for definition in new {
                if let cycle = cycle(from: definition.name) {
                    throw EventBusError(
                        .serviceCycle, subject: definition.name, expected: "services that do not need themselves",
                        trail: cycle)
                }
            }
        } catch {
            for name in names[count...] { remove(name) }
            names.removeSubrange(count...)
            throw error
        }
        return Array(names[count...])
    }

    private mutating func insert(_ definition: Definition) throws(EventBusError) {
        if let mistake = TopicName.mistake(in: definition.name) { throw mistake }
        // Reserves room for the prefix and the state in the name of the topic.
        let longest = TopicName.longest - "service::registered".utf8.count
        guard definition.name.utf8.count <= longest else {
            throw EventBusError(
                .malformedName, subject: definition.name, offset: longest, expected: "at most \(longest) bytes",
                found: "\(definition.name.utf8.count) bytes")
        }
        if let old = definitions[definition.name] {
            guard let type = definition.type, let oldType = old.type, type == oldType else {
                throw EventBusError(
                    .duplicateService, subject: definition.name,
                    expected: old.type.map { "the registered service \($0)" } ?? "a name that is not registered",
                    found: definition.type.map { "\($0)" } ?? "another service")
            }
            return
        }
        definitions[definition.name] = definition
        for need in definition.needs { dependantsByNeed[need, default: []].append(definition.name) }
        names.append(definition.name)
    }

    private mutating func remove(_ name: String) {
        for need in definitions.removeValue(forKey: name)?.needs ?? [] {
            dependantsByNeed[need]?.removeAll { $0 == name }
        }
    }

    /// Returns a path from a service to itself, if there is one.
    private func cycle(from start: String) -> [String]? {
        ServicePath.find(from: start, to: start) { definitions[$0]?.needs ?? [] }
    }
}

/// Searches for a path between services without recursion.
enum ServicePath {
    /// Returns a path of at least one step, including both ends.
    static func find(from start: String, to end: String, next: (String) -> [String]) -> [String]? {
        var (cameFrom, open): ([String: String], [String]) = ([:], [start])
        while let name = open.popLast() {
            for neighbour in next(name) {
                if neighbour == end {
                    var path = [end, name]
                    while let last = path.last, last != start, let before = cameFrom[last] { path.append(before) }
                    return path.reversed()
                }
                if neighbour != start, cameFrom[neighbour] == nil {
                    cameFrom[neighbour] = name
                    open.append(neighbour)
                }
            }
        }
        return nil
    }
}
