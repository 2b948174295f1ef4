internal import Ashlar
internal import AshlarAppConfig
internal import AshlarCustomization
internal import AshlarNetworking

/// The sections of an app that change as a whole, with the numbers of their latest changes.
actor InspectorSections {
    private struct Section {
        var json: JSONEntity
        var change: Int
    }

    private var sections: [String: Section] = [:]
    private var lastChange = 0
    // The sources of the sections, which are compared before a section is created again.
    private var config: ApplicationConfig?
    private var strings: Customization?

    /// Creates the sections that have changed; returns those after a change, and moves the cursor behind them.
    func changes(of app: AshlarApp, after cursor: inout InspectorCursor) async -> [String: JSONEntity] {
        await refresh(app)
        let number = cursor.section
        cursor.section = lastChange
        return sections.filter { $0.value.change > number }.mapValues(\.json)
    }

    private func refresh(_ app: AshlarApp) async {
        var document = InspectorDocument(title: "")
        let (newConfig, newStrings) = (app.config.current, app.customization.current)
        if config != newConfig {
            config = newConfig
            document.addConfiguration(newConfig)
        }
        if strings?.isIdentical(to: newStrings) != true {
            strings = newStrings
            document.addStrings(newStrings)
        }
        document.addHosts(app.hosts)
        document.addRoutes(app.router.current)
        // These are stored before the wait, during which another browser can store newer ones.
        update("configuration", document.configuration)
        update("strings", document.strings)
        update("hosts", document.hosts)
        update("routes", document.routes)
        await document.addServices(app.services)
        update("services", document.services)
    }

    private func update(_ name: String, _ value: (some Encodable)?) {
        guard let value, let json = try? JSONEntity(encoding: value), sections[name]?.json != json else { return }
        lastChange += 1
        sections[name] = Section(json: json, change: lastChange)
    }
}
