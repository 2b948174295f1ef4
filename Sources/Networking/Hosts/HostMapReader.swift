internal import AshlarCore

/// Reads host maps in SquidKit's format and records the omitted entries.
struct HostMapReader {
    let file: String?
    private(set) var warnings: [HostWarning] = []
    /// Indexes of configurations by normalized canonical host.
    private(set) var places: [String: Int] = [:]

    init(file: String?) { self.file = file }

    mutating func read(_ json: [UInt8]) throws(NetworkError) -> [HostConfiguration] {
        guard json.count <= HostMap.largest else {
            var error = NetworkError(
                .invalidHostMap, "expected at most \(HostMap.largest) bytes, found \(json.count)", path: "$",
                file: file, line: 1, limit: HostMap.largest)
            error.column = 1
            throw error
        }
        let root: JSONEntity
        do {
            root = try JSONEntity(parsing: json)
        } catch {
            var failure = NetworkError(
                .invalidHostMap, error.message, path: error.path, file: file, line: error.line, underlying: error)
            failure.offset = error.offset
            failure.column = error.column
            throw failure
        }
        guard root.isObject else {
            throw warning(at: root, "expected an object with \"configurations\", found \(root.kindName)").networkError
        }
        let list = root["configurations"]
        guard list.isArray else {
            warn(at: list.isValid ? list : root, "expected an array \"configurations\", found \(list.kindName)")
            return []
        }
        var configurations: [HostConfiguration] = []
        for item in list {
            guard let configuration = readConfiguration(item) else { continue }
            let name = HostSyntax.normalized(configuration.canonicalHost)
            if let other = places[name] {
                warn(
                    at: item["canonical_host"],
                    "duplicate canonical host \"\(configurations[other].canonicalHost)\"")
            } else {
                places[name] = configurations.count
                configurations.append(configuration)
            }
        }
        return configurations
    }

    private mutating func readConfiguration(_ item: JSONEntity) -> HostConfiguration? {
        guard item.isObject else {
            warn(at: item, "expected an object, found \(item.kindName)")
            return nil
        }
        guard let canonicalHost = text("canonical_host", of: item, isRequired: true) else { return nil }
        if canonicalHost.isEmpty || canonicalHost.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
            warn(at: item["canonical_host"], "expected a name without spaces and control characters")
            return nil
        }
        if canonicalHost.utf8.contains(where: { $0 >= 0x80 }) {
            warn(at: item["canonical_host"], "expected \(URLHost.asciiName)")
            return nil
        }
        guard let name = text("canonical_protocol", of: item, isRequired: true) else { return nil }
        guard let canonicalScheme = HostSyntax.scheme(name) else {
            warn(at: item["canonical_protocol"], "expected \"http\" or \"https\", found \(item["canonical_protocol"])")
            return nil
        }
        var configuration = HostConfiguration(
            canonicalHost: canonicalHost, canonicalScheme: canonicalScheme, hosts: readHosts(of: item))
        configuration.line = item.position?.line
        configuration.releaseKey = knownKey("release_key", of: item, in: configuration)
        configuration.prereleaseKey = knownKey("prerelease_key", of: item, in: configuration)
        return configuration
    }

    private mutating func readHosts(of item: JSONEntity) -> [HostEntry] {
        let list = item["hosts"]
        guard list.isArray else {
            warn(at: list.isValid ? list : item, "expected an array \"hosts\", found \(list.kindName)")
            return []
        }
        var hosts: [HostEntry] = []
        var lines: [String: Int] = [:]
        for element in list {
            guard let entry = readEntry(element) else { continue }
            if let line = lines[entry.key] {
                warn(
                    at: element["key"],
                    "duplicate key \"\(entry.key)\", first defined at line \(line)")
            } else {
                lines[entry.key] = entry.line ?? 0
                hosts.append(entry)
            }
        }
        return hosts
    }

    private mutating func readEntry(_ element: JSONEntity) -> HostEntry? {
        guard element.isObject else {
            warn(at: element, "expected an object, found \(element.kindName)")
            return nil
        }
        guard let key = text("key", of: element, isRequired: true) else { return nil }
        if key.isEmpty {
            warn(at: element["key"], "expected a key, found an empty string")
            return nil
        }
        var entry = HostEntry(key: key)
        entry.line = element.position?.line
        for name in ["host", "protocol"] where !element[name].isNull && element[name].isValid {
            guard let value = text(name, of: element, isRequired: true) else { return nil }
            if name == "host" { entry.host = value } else { entry.scheme = value }
        }
        if let scheme = entry.scheme {
            entry.scheme = HostSyntax.scheme(scheme)
            if entry.scheme == nil {
                warn(at: element["protocol"], "expected \"http\" or \"https\", found \(element["protocol"])")
                return nil
            }
        }
        if let host = entry.host, let problem = HostPattern(host).problem {
            warn(at: element["host"], "\(problem), found \(element["host"])")
            return nil
        }
        return addPort(of: element, to: &entry) ? entry : nil
    }

    /// Appends `port`, a number or a string, to the host; returns false if the entry is invalid.
    private mutating func addPort(of element: JSONEntity, to entry: inout HostEntry) -> Bool {
        let port = element["port"]
        guard port.isValid, !port.isNull else { return true }
        let text = port.numberText() ?? port.string("")
        if let problem = HostSyntax.portProblem(text[...]) {
            warn(at: port, "\(problem), found \(port)")
            return false
        }
        guard let host = entry.host else {
            warn(at: port, "a port without a host")
            return false
        }
        entry.host = host + ":" + text
        guard let problem = HostPattern(host + ":" + text).problem else { return true }
        warn(at: port, "expected a port in \"host\" or in \"port\", not in both: \(problem)")
        return false
    }

    private mutating func knownKey(_ name: String, of item: JSONEntity, in configuration: HostConfiguration) -> String?
    {
        guard let key = text(name, of: item, isRequired: false) else { return nil }
        guard let entry = configuration[key] else {
            let known = configuration.hosts.map { "\"\($0.key)\"" }.joined(separator: ", ")
            warn(at: item[name], "expected the key of one of the hosts (\(known)), found \"\(key)\"")
            return nil
        }
        guard entry.editing == .none else {
            warn(at: item[name], "expected the key of a fixed host, found \"\(key)\"")
            return nil
        }
        return key
    }

    /// Returns the string for a key; records a warning if a required one is missing or the value isn't a string.
    private mutating func text(_ name: String, of item: JSONEntity, isRequired: Bool) -> String? {
        let value = item[name]
        if let text = value.string() { return text }
        if isRequired || value.isValid && !value.isNull {
            warn(at: value.isValid ? value : item, "expected a string \"\(name)\", found \(value.kindName)")
        }
        return nil
    }

    private mutating func warn(at place: JSONEntity, _ message: String) {
        warnings.append(warning(at: place, message))
    }

    private func warning(at place: JSONEntity, _ message: String) -> HostWarning {
        let position = place.position
        return HostWarning(
            message: message, path: place.path, file: file, line: position?.line, column: position?.column)
    }
}

extension JSONEntity {
    /// Describes a value for messages.
    package var kindName: String {
        if !isValid { return "nothing" }
        if isNull { return "null" }
        if isArray { return "an array" }
        if isObject { return "an object" }
        if numberText() != nil { return "a number" }
        return string() == nil ? "a Boolean" : "a string"
    }
}
