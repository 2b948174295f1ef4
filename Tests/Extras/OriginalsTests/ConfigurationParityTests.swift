import AshlarAppConfig
import AshlarOriginals
import Testing

/// The original spellings of NEIApplicationConfig.
@Suite struct ConfigurationParityTests {
    private let config = ApplicationConfig(["url": "none", "servers": ["url": "prod"], "COUNT": 7])

    @Test("with(scope:) merges over the whole root; a missing scope leaves the root")
    func scope() {
        #expect(config.with(scope: "servers").string(forKey: "url") == "prod")
        #expect(config.with(scope: "servers").int(forKey: "COUNT") == 7)
        #expect(config.with(scope: "none::deeper") == config)
        #expect(config.with(scope: nil) == config)
    }

    @Test("with(dictionary:) replaces root keys completely")
    func dictionary() {
        let changed = config.with(dictionary: ["servers": ["x": 1], "COUNT": 5])
        #expect(changed["servers"] == ["x": 1])
        #expect(changed.int(forKey: "COUNT") == 5)
        #expect(changed.string(forKey: "url") == "none")
    }
}
