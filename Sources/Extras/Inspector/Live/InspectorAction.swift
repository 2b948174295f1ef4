internal import Ashlar
internal import AshlarAppConfig
internal import AshlarCore
internal import AshlarCustomization
internal import AshlarEventBus
internal import AshlarLogging
internal import AshlarNetworking

/// A change of the running app that a browser requests.
struct InspectorAction: Decodable, Sendable {
    enum Kind: String, Decodable, Sendable {
        case selectHost, setValue, setText, setThreshold, trigger, explainRoute, openRoute
    }

    let action: Kind
    /// The canonical host, the path of a value, the key of a text, the context of a log, the name of a topic, or a URL.
    let name: String
    /// The key of an environment, a value, a text, a level, or a payload; nil removes a selection or an override.
    var value: String?
    /// The typed host of an environment, or the table of a text.
    var detail: String?

    /// Changes the app, and returns what has changed in one or more lines.
    ///
    /// - Throws: A refusal with the status 422 and the reason.
    func perform(on app: AshlarApp, _ texts: InspectorTexts) async throws(InspectorRefusal) -> String {
        do {
            switch action {
            case .selectHost: return try logged(selectHost(app.hosts))
            case .setValue: return try logged(setValue(app.config))
            case .setText: return logged(setText(app.customization, texts))
            case .setThreshold: return try logged(setThreshold())
            case .trigger: return try logged(trigger(app.bus))
            case .explainRoute:
                let match = try app.router.match(name)
                return "\(match)  \(match.parameters)"
            case .openRoute: return try logged(await openRoute(app))
            }
        } catch let refusal as InspectorRefusal {
            throw refusal
        } catch {
            throw Self.failure("\(error)")
        }
    }

    private static func failure(_ reason: String) -> InspectorRefusal { InspectorRefusal(status: 422, reason: reason) }

    private func logged(_ text: String) -> String {
        Log("inspector").info("\(text)")
        return text
    }

    private func selectHost(_ hosts: HostSwitch) throws -> String {
        if let value {
            let typed = detail.flatMap { $0.isEmpty ? nil : $0 }
            try hosts.select(value, for: name, userHost: typed)
        } else {
            hosts.reset(name)
        }
        return hosts.explain(name)
    }

    /// Writes a value, which is JSON or otherwise a text.
    private func setValue(_ store: ConfigStore) throws -> String {
        let path = ConfigPath(name)
        guard !name.isEmpty else { throw Self.failure("expected a key") }
        guard let value else {
            store.update { $0.removeWrite(at: path) }
            return store.current.explain(path).description
        }
        let new = (try? JSONEntity(parsing: value).decode(ConfigValue.self)) ?? .string(value)
        store.update { $0[path] = new }
        guard store.current[path] == (new == .null ? nil : new) else { throw Self.failure("'\(name)' can't be set") }
        return store.current.explain(path).description
    }

    private func setText(_ center: CustomizationCenter, _ texts: InspectorTexts) -> String {
        let table = detail.flatMap { $0.isEmpty ? nil : $0 } ?? CustomizationLayer.defaultTable
        let layer = texts.set(name, to: value, in: table)
        let strings = center.update { layer.map($0.applying) ?? $0.removing(layer: InspectorTexts.layer) }
        return "\(table): \(name) = \(strings.string(name, table: table))"
    }

    private func setThreshold() throws -> String {
        var level: LogLevel?
        if let value, value.lowercased() != "off" {
            level = LogLevel(name: value)
            if level == nil { throw Self.failure("'\(value)' isn't a level") }
        }
        var thresholds = LogSystem.thresholds
        if name.isEmpty {
            guard value != nil else { throw Self.failure("expected a level, because there is no context") }
            thresholds.global = level
        } else {
            thresholds.contexts[name] = value == nil ? nil : .some(level)
        }
        LogSystem.thresholds = thresholds
        let rules = thresholds.contexts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value?.description ?? "off")" }
        return "thresholds: " + ([thresholds.global?.description ?? "off"] + rules).joined(separator: ", ")
    }

    /// Triggers an event whose payload is JSON: a number, a Boolean, a text or, for all other values, a `JSONEntity`.
    private func trigger(_ bus: EventBus) throws -> String {
        let json = try value.flatMap { $0.isEmpty ? nil : try JSONEntity(parsing: $0, limits: JSONLimits(depth: 256)) }
        let result =
            if let json, !json.isNull {
                if let text = json.string() {
                    try bus.trigger(named: name, text)
                } else if let number = json.numberText() {
                    if let integer = Int(number) {
                        try bus.trigger(named: name, integer)
                    } else {
                        try bus.trigger(named: name, json.double() ?? .infinity)
                    }
                } else if let bool = json.bool() {
                    try bus.trigger(named: name, bool)
                } else {
                    try bus.trigger(named: name, json)
                }
            } else {
                try bus.trigger(named: name)
            }
        if let failure = result.failures.first { throw Self.failure("\(failure)") }
        return "triggered \(name): \(result.delivered) delivered, \(result.queued) queued"
    }

    private func openRoute(_ app: AshlarApp) async throws -> String {
        guard let navigation = await app.open(name) else {
            let match = try app.router.match(name)
            throw Self.failure("\(match): not opened; the log has the reason")
        }
        return "opened \(navigation)"
    }
}

/// The texts that the inspector has overridden, which are one layer on top of the others.
final class InspectorTexts: Sendable {
    /// The identifier of the layer.
    static let layer = "inspector"

    private let tables = Mutex<[String: [String: String]]>([:])

    /// Sets or removes a text; returns the layer, or nil if no text is left.
    func set(_ key: String, to text: String?, in table: String) -> CustomizationLayer? {
        let tables = tables.withLock { tables in
            tables[table, default: [:]][key] = text
            tables = tables.filter { !$0.value.isEmpty }
            return tables
        }
        if tables.isEmpty { return nil }
        let location = CustomizationLocation(file: Self.layer)
        let entries = tables.mapValues { texts in
            texts.sorted { $0.key < $1.key }.map {
                CustomizationEntry(key: $0.key, value: .string($0.value), location: location)
            }
        }
        return CustomizationLayer(
            id: Self.layer, role: .override,
            tables: entries.mapValues { StringsTable(file: Self.layer, entries: $0) })
    }
}
