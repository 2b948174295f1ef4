/// Which services there are, and which needs which.
struct ServiceGraph {
    struct Definition {
        let name: String
        let needs: [String]
        /// The type, if the service was registered by one.
        let type: (any Service.Type)?
        let make: @Sendable (ServiceContext) async throws -> any Service
    }

    private(set) var definitions: [String: Definition] = [:]
    /// In the order of registration.
    private(set) var names: [String] = []

    subscript(name: String) -> Definition? { definitions[name] }

    /// Adds services all at once; on an error, none.
    mutating func add(_ new: [Definition]) throws(EventBusError) {
        var copy = self
        for definition in new { try copy.add(definition) }
        for definition in new {
            if let cycle = copy.cycle(from: definition.name) {
                throw EventBusError(
                    .serviceCycle, subject: definition.name, expected: "services that do not need themselves",
                    trail: cycle)
            }
        }
        self = copy
    }

    private mutating func add(_ definition: Definition) throws(EventBusError) {
        if let mistake = TopicName.mistake(in: definition.name) { throw mistake }
        // Room for the prefix and the state in the name of the topic.
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
                    expected: old.type.map { "the one service \($0)" } ?? "one service of this name",
                    found: definition.type.map { "\($0)" } ?? "another")
            }
            return
        }
        definitions[definition.name] = definition
        names.append(definition.name)
    }

    /// Returns the way from a service back to itself, if there is one.
    private func cycle(from start: String) -> [String]? {
        var (path, visited): ([String], Set<String>) = ([], [])
        func visit(_ name: String) -> [String]? {
            path.append(name)
            defer { path.removeLast() }
            for need in definitions[name]?.needs ?? [] {
                if need == start { return path + [need] }
                if visited.insert(need).inserted, let found = visit(need) { return found }
            }
            return nil
        }
        return visit(start)
    }

    /// The services that need this one themselves.
    func dependants(of name: String) -> [String] {
        names.filter { definitions[$0]?.needs.contains(name) ?? false }
    }
}
