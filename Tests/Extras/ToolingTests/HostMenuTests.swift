import AshlarTooling
import Testing

@Suite struct HostMenuTests {
    static let map = #"""
        {"configurations": [
          {"canonical_host": "httpbin.org", "canonical_protocol": "http", "hosts": [
            {"key": "PROD", "host": "httpbin.org"},
            {"key": "QA", "host": "qa.httpbin.org", "protocol": "https"},
            {"key": "DEV", "host": "dev.httpbin.org"},
            {"key": "localhost", "host": "localhost", "port": 8080},
            {"key": "USER"}]},
          {"canonical_host": "USDA", "canonical_protocol": "https", "hosts": [
            {"key": "PROD", "host": "api.usda.example"},
            {"key": "BOX", "host": "box-<#>.usda.example:8443"},
            {"key": "TEAM", "host": "<@>.usda.example"}]}]}
        """#

    @Test("A menu prints the rows and chooses by number")
    func menu() throws {
        let hosts = HostSwitch(try HostMap(json: Array(Self.map.utf8), file: "HostMap.json"))
        let menu = HostMenu(hosts)
        try menu.enter("2")
        try menu.enter("7 12")
        #expect(
            menu.text == """
                httpbin.org
                  1   PROD       httpbin.org
                  2 ✓ QA         https://qa.httpbin.org
                  3   DEV        dev.httpbin.org
                  4   localhost  localhost:8080
                  5   USER       Enter custom host (e.g. "api.host.com")
                USDA
                  6   PROD       api.usda.example
                  7 ✓ BOX        box-12.usda.example:8443
                  8   TEAM       <@>.usda.example

                """)
        for line in ["9", "-1", "", "x", "2x"] {
            let error = #expect(throws: NetworkError.self) { try menu.enter(line) }
            #expect(error?.message == "expected a number from 0 to 8")
        }
        let error = #expect(throws: NetworkError.self) { try menu.enter("7 twelve") }
        #expect(error?.code == .invalidUserHost)
        try menu.enter("0")
        #expect(!menu.text.contains("✓"))
    }
}
