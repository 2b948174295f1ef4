import AshlarNetworking
import AshlarTesting
import FuzzHarness

/// JSON, host maps and archives: writing and reading a value again must return the same value.
let valueTargets = [
    FuzzTarget("json") { bytes in
        guard let json = try? JSONEntity(parsing: bytes) else { return }
        let compact = json.bytes()
        guard let again = try? JSONEntity(parsing: compact) else { preconditionFailure("what was written is not read") }
        precondition(again == json && again.bytes() == compact, "the round trip changed the value")
        precondition((try? JSONEntity(parsing: json.bytes(indent: 2))) == json, "the indented text is another value")
        walk(json)
    },
    FuzzTarget("host-map") { bytes in
        guard let map = try? HostMap(json: bytes) else { return }
        let hosts = HostSwitch(map)
        for section in hosts.rows {
            for row in section.rows {
                try? hosts.select(row.key, for: section.title, userHost: row.editing == .none ? nil : "h:1")
                _ = hosts.resolve(section.title)
            }
        }
        hosts.selectRelease()
    },
    FuzzTarget("typed-host") { bytes in
        let map =
            #"{"configurations":[{"canonical_host":"h","canonical_protocol":"http","hosts":[{"key":"U"},{"key":"D","host":"a<#>.b"}]}]}"#
        guard let map = try? HostMap(json: Array(map.utf8)) else { preconditionFailure("the map is valid") }
        let hosts = HostSwitch(map)
        let text = String(decoding: bytes, as: UTF8.self)
        for key in ["U", "D"] {
            try? hosts.select(key, for: "h", userHost: text)
            guard let pair = hosts.resolve("h") else { continue }
            precondition((try? HTTPURL("http://\(pair.host)/")) != nil, "a host that no URL can have: \(pair.host)")
        }
    },
    FuzzTarget("har") { bytes in
        guard let archive = try? HARArchive(json: bytes) else { return }
        guard let again = try? HARArchive(json: archive.bytes()) else {
            preconditionFailure("what was written is not read")
        }
        precondition(again.entries.count == archive.entries.count, "the round trip lost entries")
        _ = ReplayTransport(archive).unused.count
    },
]

private func walk(_ json: JSONEntity) {
    _ = (json.string(), json.int(), json.double(), json.bool(), json.float(), json.date(), json.path, json.hashValue)
    for value in json { walk(value) }
}
