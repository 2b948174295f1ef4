import AshlarNetworking
import AshlarOriginals
import AshlarTestSupport
import Testing

/// The tables of SquidKit, as plain values.
@Suite struct TableParityTests {
    private let map: HostMap

    init() throws {
        map = try HostMap(json: Array(exampleMapText.utf8), strict: true)
    }

    @Test("TableItem and TableSection are plain values; an index out of range returns nil")
    func tables() {
        let selected = Locked<[String]>([])
        var section = TableSection("Account")
        section.append(
            TableItem("Log out", rowHeight: 44, reuseIdentifier: "action") { item in
                selected.withLock { $0.append(item.title) }
            })
        section.append(TableItem("Help", subtitle: "more", isTicked: true))
        #expect(section.count == 2 && section.title == "Account" && TableSection().title == nil)
        #expect(section[0]?.rowHeight == 44 && section[0]?.reuseIdentifier == "action")
        #expect(section[1]?.subtitle == "more" && section[1]?.isTicked == true && section[1]?.select == nil)
        #expect(section[2] == nil && section[-1] == nil && section[.max] == nil && section[.min] == nil)
        if let item = section[0] { item.select?(item) }
        #expect(selected.withLock { $0 } == ["Log out"])
    }

    @Test("The environments are sections and items that select an environment")
    func hostTables() throws {
        let hosts = HostSwitch(map)
        let failures = Locked<[NetworkError.Code]>([])
        let sections = hosts.tableSections { error in failures.withLock { $0.append(error.code) } }
        #expect(sections.map(\.title) == ["httpbin.org", "USDA"])
        #expect(sections[0].items.map(\.subtitle) == ["PROD", "QA", "DEV", "localhost", "USER"])
        #expect(sections[0][4]?.title == #"Enter custom host (e.g. "api.host.com")"#)
        #expect(
            sections.flatMap(\.items).map(\.reuseIdentifier) == [
                "host", "host", "host", "host", "host-text", "host", "host-digits", "host-text",
            ])
        let item = try #require(sections[0][1])
        #expect(!item.isTicked)
        item.select?(item)
        #expect(hosts.resolve("httpbin.org")?.host == "qa.httpbin.org")
        #expect(hosts.tableSections()[0].items.map(\.isTicked) == [false, true, false, false, false])

        var user = try #require(sections[0][4])
        #expect(user.id == "USER" && user.input == .init(prompt: user.title))
        user.input?.text = "localhost:8080"
        user.select?(user)
        #expect(hosts.resolve("httpbin.org")?.host == "localhost:8080")
        #expect(hosts.tableSections()[0][4]?.input?.text == "localhost:8080")
        item.select?(item)
        user.input?.text = ""
        user.select?(user)
        #expect(hosts.resolve("httpbin.org")?.host == "localhost:8080", "an empty text uses the last host")
        #expect(failures.withLock { $0 } == [])
        user.input?.text = "no host"
        user.select?(user)
        #expect(failures.withLock { $0.count } == 1)
        hosts.update(.empty)
        item.select?(item)
        #expect(failures.withLock { $0 }.last == .unknownHost)
    }
}
