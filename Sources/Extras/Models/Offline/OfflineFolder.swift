internal import AshlarCore

/// The content of files: a line with the format and a checksum, and JSON.
///
/// The checksum detects files that a crash of the system or a person has damaged.
enum OfflineCoding {
    private static let mark = "ashlar-offline 1 "

    static func encode(_ json: JSONEntity) -> [UInt8] {
        let bytes = json.bytes()
        return Array((mark + SHA256.hexadecimal(bytes) + "\n").utf8) + bytes
    }

    /// Returns the JSON, or nil for damaged bytes.
    static func decode(_ bytes: [UInt8]) -> JSONEntity? {
        guard bytes.starts(with: Array(mark.utf8)), let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            return nil
        }
        let content = Array(bytes[(end + 1)...])
        guard bytes[mark.utf8.count..<end].elementsEqual(SHA256.hexadecimal(content).utf8) else { return nil }
        return try? JSONEntity(parsing: content, limits: JSONLimits(depth: JSONLimits.deepest))
    }

    fileprivate static func json(_ text: String?) -> JSONEntity { text.map { JSONEntity($0) } ?? .missing }
    fileprivate static func json(_ texts: [String]) -> JSONEntity {
        texts.isEmpty ? .missing : JSONEntity(array: texts.map { JSONEntity($0) })
    }
    fileprivate static func strings(_ json: JSONEntity) -> [String] { json.compactMap { $0.string() } }

    static func host(_ host: EndpointHost?) -> JSONEntity {
        guard let host else { return .missing }
        if let url = host.urlText { return JSONEntity(object: [("url", JSONEntity(url))]) }
        return JSONEntity(object: [
            ("name", json(host.canonical?.name)), ("scheme", json(host.canonical?.scheme?.rawValue)),
        ])
    }

    static func host(_ json: JSONEntity) -> EndpointHost? {
        if let url = json["url"].string() { return .url(url) }
        return json["name"].string().map { name in
            .canonical(name, scheme: json["scheme"].string().flatMap(HTTPURL.Scheme.init(rawValue:)))
        }
    }
}

extension OfflineRecord {
    var json: JSONEntity {
        JSONEntity(object: [
            ("host", OfflineCoding.host(host)), ("path", JSONEntity(path)),
            ("formerPaths", OfflineCoding.json(formerPaths)), ("collection", OfflineCoding.json(collection)),
            ("creation", JSONEntity(creation)), ("localID", OfflineCoding.json(localID)), ("serverID", serverID),
            ("base", base),
            ("version", OfflineCoding.json(version)), ("ownVersions", OfflineCoding.json(ownVersions)),
            ("changes", changes.isEmpty ? .missing : JSONEntity(array: changes.map(\.json))),
        ])
    }

    init?(name: String, _ json: JSONEntity) {
        guard let path = json["path"].string() else { return nil }
        self.init(name: name, host: OfflineCoding.host(json["host"]), path: path)
        formerPaths = OfflineCoding.strings(json["formerPaths"])
        (collection, localID) = (json["collection"].string(), json["localID"].string())
        creation = json["creation"].int(0)
        (serverID, base) = (json["serverID"].orMissing, json["base"].orMissing)
        version = json["version"].string()
        ownVersions = OfflineCoding.strings(json["ownVersions"])
        for element in json["changes"] {
            guard let change = Change(element) else { return nil }
            changes.append(change)
        }
    }
}

extension OfflineRecord.Change {
    fileprivate var json: JSONEntity {
        JSONEntity(object: [
            ("key", JSONEntity(key)), ("verb", JSONEntity(verb.rawValue)), ("path", JSONEntity(path)), ("body", body),
            ("order", JSONEntity(order)), ("version", OfflineCoding.json(version)), ("isSent", JSONEntity(isSent)),
            ("refusal", refusal?.json ?? .missing),
        ])
    }

    fileprivate init?(_ json: JSONEntity) {
        guard let key = json["key"].string(), let verb = json["verb"].string().flatMap(ModelSyncVerb.init),
            let path = json["path"].string(), let order = json["order"].int(), let isSent = json["isSent"].bool()
        else { return nil }
        self.init(key: key, verb: verb, path: path, body: json["body"].orMissing, order: order)
        (version, self.isSent) = (json["version"].string(), isSent)
        if json["refusal"].isObject { refusal = OfflineRecord.Refusal(json["refusal"]) }
    }
}

extension OfflineRecord.Refusal {
    fileprivate var json: JSONEntity {
        JSONEntity(object: [
            ("code", JSONEntity(code.rawValue)), ("message", JSONEntity(message)),
            ("status", status.map { JSONEntity($0) } ?? .missing), ("messages", OfflineCoding.json(messages)),
            ("theirs", theirs), ("version", OfflineCoding.json(version)),
        ])
    }

    fileprivate init(_ json: JSONEntity) {
        code = NetworkError.Code(rawValue: json["code"].string(""))
        (message, status) = (json["message"].string(""), json["status"].int())
        messages = OfflineCoding.strings(json["messages"])
        (theirs, version) = (json["theirs"].orMissing, json["version"].string())
    }

    init(_ error: NetworkError, theirs: JSONEntity, version: String?) {
        (code, message, status, messages) = (error.code, error.message, error.status, error.messages)
        (self.theirs, self.version) = (theirs, version)
    }

    /// The error as far as it is stored.
    var error: NetworkError {
        var error = NetworkError(code, message)
        (error.status, error.messages) = (status, messages)
        return error
    }
}

extension JSONEntity {
    /// The value as its own document, or a missing value without a location.
    fileprivate var orMissing: JSONEntity { isValid ? detached() : .missing }
}
