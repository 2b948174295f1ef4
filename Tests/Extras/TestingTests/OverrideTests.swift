import AshlarAppConfig
import AshlarTesting
import Testing

@Suite struct OverrideTests {
    private let store = ConfigStore(["http": ["timeout": 30, "host": "h"], "list": [1, 2]])

    @Test("Overrides apply within their scope only, and inner scopes take precedence")
    func scopes() {
        store.withOverrides(["http.timeout": 1, "http.host": nil, "list[0]": 9, "new.key": true]) {
            #expect(store.current["http"] == ["timeout": 1])
            #expect(store.current["list"] == [9, 2])
            #expect(store.current.bool(forKey: "new.key") == true)
            store.withOverrides(["http.timeout": 2]) { #expect(store.current.int(forKey: "http.timeout") == 2) }
            #expect(store.current.int(forKey: "http.timeout") == 1)
        }
        #expect(store.current["http"] == ["timeout": 30, "host": "h"])
    }

    @Test("Overrides of a section and of values inside it have the same result in every run")
    func sections() {
        for _ in 0..<50 {
            store.withOverrides(["http.timeout": 1, "http": ["host": "x"], "http.a": 2, "list[1]": 8, "list": [6, 7]]) {
                #expect(store.current["http"] == ["host": "x", "timeout": 1, "a": 2])
                #expect(store.current["list"] == [6, 8])
            }
        }
    }

    @Test("Concurrent tasks have separate overrides, and child tasks inherit them", .timeLimit(.minutes(5)))
    func tasks() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { [store] in
                    await store.withOverrides(["http.timeout": .integer(Int64(number))]) {
                        for _ in 0..<20 {
                            await Task.yield()
                            async let child = store.current.int(forKey: "http.timeout")
                            #expect(await child == number)
                        }
                    }
                }
            }
            group.addTask { [store] in
                for _ in 0..<200 {
                    #expect(store.current.int(forKey: "http.timeout") == 30)
                    await Task.yield()
                }
            }
        }
    }

    @Test("Overrides take precedence over run-time writes and don't change the store")
    func updates() {
        store.withOverrides(["http.timeout": 1]) {
            store.update { $0["http.timeout"] = 7 }
            #expect(store.current.int(forKey: "http.timeout") == 1)
        }
        #expect(store.current.int(forKey: "http.timeout") == 7)
    }

    @Test("Overrides of one store don't affect another")
    func stores() {
        let other = ConfigStore(["http": ["timeout": 60]])
        store.withOverrides(["http.timeout": 1]) { #expect(other.current.int(forKey: "http.timeout") == 60) }
    }

    @Test("An operation's error leaves the scope")
    func errors() {
        struct Failure: Error {}
        #expect(throws: Failure.self) { try store.withOverrides(["a": 1]) { throw Failure() } }
        #expect(store.current["a"] == nil)
    }

    @Test("Elements are appended in the order of their numbers")
    func elements() {
        var values: [String: ConfigValue] = [:]
        for index in 2...10 { values["list[\(index)]"] = .integer(Int64(index)) }
        store.withOverrides(values) { #expect(store.current["list"] == [1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10]) }
    }
}
