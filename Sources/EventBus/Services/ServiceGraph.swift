/// The registered services and their needs.
struct ServiceGraph {
    struct Definition: Sendable {
        typealias Make = @Sendable (ServiceContext) async throws -> any Service

        let name: String
        /// The services that it needs, each once.
        let needs: [String]
        /// The policy; nil for a service that is registered only because another one needs it.
        fileprivate(set) var policy: ServicePolicy?
        /// The type, if the service was registered with a type.
        let type: (any Service.Type)?
        let make: Make

        init(
            _ name: String, needs: [String] = [], policy: ServicePolicy? = nil, type: (any Service.Type)? = nil,
            make: @escaping Make
        ) {
            var seen: Set<String> = []
            self.name = name
            self.needs = needs.filter { seen.insert($0).inserted }
            self.policy = policy
            self.type = type
            self.make = make
        }
    }

    private var definitions: [String: Definition] = [:]
    private var dependantsByNeed: [String: [String]] = [:]
    /// The names, in the order of registration.
    private(set) var names: [String] = []

    subscript(name: String) -> Definition? { definitions[name] }

    func needs(of name: String) -> [String] { definitions[name]?.needs ?? [] }

    /// Returns the services that need this one, which doesn't have to be registered.
    func dependants(of name: String) -> [String] { dependantsByNeed[name] ?? [] }

    /// Returns whether a service and all services that it needs, directly or not, are registered.
    func isComplete(_ name: String) -> Bool {
        var open = [name]
        var seen: Set<String> = [name]
        while let next = open.popLast() {
            guard let definition = definitions[next] else { return false }
            open += definition.needs.filter { seen.insert($0).inserted }
        }
        return true
    }

    /// Adds all services or, after an error, none; returns the new names.
    mutating func add(_ new: [Definition]) throws(EventBusError) -> [String] {
        let count = names.count
        do throws(EventBusError) {
            for definition in new { try insert(definition) }
            for definition in new { try checkCycle(from: definition) }
        } catch {
            for name in names[count...] {
                for need in definitions.removeValue(forKey: name)?.needs ?? [] {
                    dependantsByNeed[need]?.removeAll { $0 == name }
                }
            }
            names.removeSubrange(count...)
            throw error
        }
        for definition in new where definitions[definition.name]?.policy == nil {
            definitions[definition.name]?.policy = definition.policy
        }
        return Array(names[count...])
    }

    private func checkCycle(from definition: Definition) throws(EventBusError) {
        // Every service of a cycle is needed by another one, or by itself.
        if dependants(of: definition.name).isEmpty { return }
        for need in definition.needs {
            guard let path = path(from: need, to: definition.name) else { continue }
            throw EventBusError(
                .serviceCycle, subject: definition.name, expected: "services that do not need themselves",
                trail: [definition.name] + path)
        }
    }

    private mutating func insert(_ new: Definition) throws(EventBusError) {
        if let mistake = TopicName.mistake(in: new.name) { throw mistake }
        // Reserves room for the prefix and the state in the name of the topic.
        let longest = TopicName.longest - "service::registered".utf8.count
        guard new.name.utf8.count <= longest else {
            throw EventBusError(
                .malformedName, subject: new.name, offset: longest, expected: "at most \(longest) bytes",
                found: "\(new.name.utf8.count) bytes")
        }
        guard let old = definitions[new.name] else {
            definitions[new.name] = new
            for need in new.needs { dependantsByNeed[need, default: []].append(new.name) }
            return names.append(new.name)
        }
        guard let type = new.type, let oldType = old.type, type == oldType else {
            throw EventBusError(
                .duplicateService, subject: new.name,
                expected: old.type.map { "the registered service \($0)" } ?? "a name that is not registered",
                found: new.type.map { "\($0)" } ?? "another service")
        }
    }

    /// Returns the services from one to another that it needs, including both; nil if it doesn't need that service.
    func path(from start: String, to end: String) -> [String]? {
        if start == end { return [end] }
        var cameFrom: [String: String] = [start: start]
        var open = [start]
        while let name = open.popLast() {
            for need in needs(of: name) where cameFrom[need] == nil {
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
