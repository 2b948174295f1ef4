/// The registered services and their needs.
struct ServiceGraph {
    struct Definition: Sendable {
        let name: ByteText
        /// The services that it needs, each once.
        let needs: [ByteText]
        /// The policies; nil for a service that is registered only because another one needs it.
        fileprivate(set) var policy: ServicePolicy?
        /// The type, if the service was registered with a type.
        let type: (any Service.Type)?

        init(
            name: ByteText, needs: [ByteText] = [], policy: ServicePolicy? = ServicePolicy(),
            type: (any Service.Type)? = nil
        ) {
            var seen: Set<ByteText> = []
            self.needs = needs.filter { seen.insert($0).inserted }
            self.name = name
            self.policy = policy
            self.type = type
        }
    }

    private var definitions: [ByteText: Definition] = [:]
    private var dependantsByNeed: [ByteText: [ByteText]] = [:]
    /// The names, in the order of registration.
    private(set) var names: [ByteText] = []

    subscript(name: ByteText) -> Definition? { definitions[name] }

    /// Returns the services that need this one, which doesn't have to be registered.
    func dependants(of name: ByteText) -> [ByteText] { dependantsByNeed[name] ?? [] }

    /// Adds all services or, after an error, none; returns the new names.
    mutating func add(_ new: [Definition]) throws(EventBusError) -> [ByteText] {
        let count = names.count
        do throws(EventBusError) {
            for definition in new { try insert(definition) }
            for definition in new {
                if let cycle = cycle(from: definition.name) {
                    throw EventBusError(
                        .serviceCycle, subject: definition.name.text, expected: "services that do not need themselves",
                        trail: cycle.map(\.text))
                }
            }
        } catch {
            for name in names[count...] { remove(name) }
            names.removeSubrange(count...)
            throw error
        }
        for definition in new where definitions[definition.name]?.policy == nil {
            definitions[definition.name]?.policy = definition.policy
        }
        return Array(names[count...])
    }

    private mutating func insert(_ definition: Definition) throws(EventBusError) {
        let name = definition.name.text
        if let mistake = TopicName.mistake(in: name) { throw mistake }
        // Reserves room for the prefix and the state in the name of the topic.
        let longest = TopicName.longest - "service::registered".utf8.count
        guard name.utf8.count <= longest else {
            throw EventBusError(
                .malformedName, subject: name, offset: longest, expected: "at most \(longest) bytes",
                found: "\(name.utf8.count) bytes")
        }
        if let old = definitions[definition.name] {
            guard let type = definition.type, let oldType = old.type, type == oldType else {
                throw EventBusError(
                    .duplicateService, subject: name,
                    expected: old.type.map { "the registered service \($0)" } ?? "a name that is not registered",
                    found: definition.type.map { "\($0)" } ?? "another service")
            }
            return
        }
        definitions[definition.name] = definition
        for need in definition.needs { dependantsByNeed[need, default: []].append(definition.name) }
        names.append(definition.name)
    }

    private mutating func remove(_ name: ByteText) {
        for need in definitions.removeValue(forKey: name)?.needs ?? [] {
            dependantsByNeed[need]?.removeAll { $0 == name }
        }
    }

    /// Returns a path from a service to itself, if there is one.
    private func cycle(from start: ByteText) -> [ByteText]? {
        let needs = definitions[start]?.needs ?? []
        return needs.lazy.compactMap { self.path(from: $0, to: start) }.first.map { [start] + $0 }
    }

    /// Returns the services from one to another that it needs, including both; nil if it doesn't need that service.
    func path(from start: ByteText, to end: ByteText) -> [ByteText]? {
        if start == end { return [end] }
        var cameFrom: [ByteText: ByteText] = [start: start]
        var open = [start]
        while let name = open.popLast() {
            for need in definitions[name]?.needs ?? [] where cameFrom[need] == nil {
                cameFrom[need] = name
                if need != end {
                    open.append(need)
                    continue
                }
                var path = [end]
                while let last = path.last, last != start, let before = cameFrom[last] { path.append(before) }
                return path.reversed()
            }
        }
        return nil
    }
}
