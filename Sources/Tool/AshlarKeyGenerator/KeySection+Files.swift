import AshlarAppConfig
import AshlarCore
import AshlarCustomization
import AshlarTexts
import AshlarTrees

extension KeySection {
    /// Returns the settings of the configuration files without an environment; their values are the defaults.
    ///
    /// The default of a secret, and of a value with an environment variable, is empty: the source must not depend on the
    /// machine that generates it.
    static func settings(_ folder: KeyFolder) -> Found {
        let names = FolderListing.names(in: folder.path) ?? []
        guard names.contains(where: { $0.hasPrefix("ApplicationConfig.") }) else { return ([], []) }
        var plan = ConfigPlan(files: .directory(folder.path), environments: [])
        plan.variables = [:]
        plan.keepsUnsetVariables = true
        let report = ApplicationConfig.loadReport(plan)
        var section = KeySection(
            name: "Settings", module: "AshlarAppConfig",
            summary: "The settings of the configuration: `config[Settings.name]`.")
        for path in report.config.paths() {
            let keys = path.components.compactMap { if case .key(let key) = $0 { key } else { nil } }
            // The elements of arrays have no keys, and a section whose name has a dot is that of a bundle identifier.
            guard keys.count == path.components.count, keys.count == 1 || !keys[0].contains(".")
            else { continue }
            guard let place = report.config.locate(path) else { continue }
            let isEmpty = place.isSecret || place.value.usesVariable
            guard let value = place.value.literal(isEmpty: isEmpty), let full = place.value.literal(isEmpty: false)
            else { continue }
            let location = "\(folder.path)/\(place.location)"
            let shown = place.isSecret ? "a secret" : "`\(full.text)`"
            let secret = place.isSecret ? ", secret: true" : ""
            section.members.append(
                KeyMember(key: keys.joined(separator: "."), place: location, comment: shown) {
                    [
                        "static let \($0) = ConfigKey<\(value.type)>("
                            + "\(KeyName.literal("\(path)")), default: \(value.text)\(secret))"
                    ]
                })
        }
        let problems = report.errors.map {
            KeyGenerator.Problem(severity: "error", place: folder.path, text: "\($0)".onOneLine)
        }
        return ([section], problems)
    }

    /// Returns the canonical hosts of the host map.
    static func hosts(_ folder: KeyFolder) -> Found {
        let file = folder.path + "/HostMap.json"
        guard let bytes = folder.bytes("HostMap.json") else { return ([], []) }
        var section = KeySection(
            name: "Hosts", module: "AshlarNetworking", summary: "The canonical hosts of the host map.")
        let names: [(name: String, line: Int)]
        do throws(JSONSyntaxError) { names = try JSONDocument(bytes).canonicalHosts } catch {
            let text = "the host map isn't JSON: \(error.message)"
            return ([], [.init(severity: "error", place: "\(file):\(error.line)", text: text.onOneLine)])
        }
        let labels = names.map { $0.name.split(separator: ".").first.map(String.init) ?? $0.name }
        for (host, label) in zip(names, labels) {
            // The first label is enough if no other host has it.
            let key = labels.filter { $0 == label }.count == 1 ? label : host.name
            section.members.append(
                KeyMember(key: key, place: "\(file):\(host.line)", comment: "`\(host.name)`") {
                    ["static let \($0): EndpointHost = \(KeyName.literal(host.name))"]
                })
        }
        return ([section], [])
    }

    /// Returns the images of all layers by the names of their files, without scales and modifiers of devices.
    static func images(_ folder: KeyFolder) -> Found {
        var section = KeySection(
            name: "Images", module: "", summary: "The names of images: `strings.image(Images.name)`.")
        var images: [String: (names: Set<String>, file: String, place: String)] = [:]
        for layer in Customization(path: folder.path, base: folder.base).allLayers {
            for file in layer.files.sorted() {
                guard let dot = file.lastIndex(of: "."),
                    Customization.imageExtensions.contains(file[file.index(after: dot)...].lowercased()),
                    let stem = file[..<dot].split(whereSeparator: { "@~".contains($0) }).first
                else { continue }
                let place = (layer.folder ?? folder.path) + "/" + file + ":1"
                images[String(stem), default: ([], file, place)].names.insert(String(stem) + file[dot...])
            }
        }
        for (stem, image) in images {
            // An image with files of several types is read by its name without a type.
            let name = image.names.count == 1 ? image.names.first ?? stem : stem
            section.members.append(
                KeyMember(key: stem, place: image.place, comment: "`\(image.file)`", isImage: true) {
                    ["static let \($0) = \(KeyName.literal(name))"]
                })
        }
        return ([section], [])
    }

    /// Returns the routes of the file `Routes.txt`: a function for the path of each, and its pattern.
    static func routes(_ folder: KeyFolder) -> Found {
        guard let bytes = folder.bytes("Routes.txt") else { return ([], []) }
        let file = folder.path + "/Routes.txt"
        var section = KeySection(
            name: "Routes", module: "AshlarEventBus", summary: "The paths of the routes: `try Routes.name()`.")
        let routes = RouteFile(bytes, path: file)
        section.members = routes.lines.flatMap { members(of: $0.pattern, $0.name, "\(file):\($0.number)") }
        return (
            [section], routes.problems.map { .init(severity: "error", place: "\(file):\($0.number)", text: $0.text) }
        )
    }

    private static func members(of pattern: RoutePatternText, _ name: String, _ place: String) -> [KeyMember] {
        let types = ["int": "Int", "uint": "UInt", "double": "Double", "bool": "Bool"]
        let text = KeyName.literal(pattern.source)
        // The name of the function's variable.
        var used: Set = ["values"]
        let parameters = pattern.parameters.map { parameter in
            var name = KeyName.identifier(parameter.name)
            while !used.insert(name).inserted { name += "_" }
            return (
                name: KeyName.declared(name), key: KeyName.literal(parameter.name),
                type: types[parameter.type ?? ""] ?? "String"
            )
        }
        let list = parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
        return [
            KeyMember(key: name, place: place, comment: "`\(pattern.source)`") { name in
                if parameters.isEmpty {
                    return [
                        "static func \(name)() throws(EventBusError) -> String { try RoutePattern(\(text)).path() }"
                    ]
                }
                return [
                    "static func \(name)(\(list)) throws(EventBusError) -> String {",
                    "    var values: [String: String] = [:]",
                ] + parameters.map { "    values[\($0.key)] = \"\\(\($0.name))\"" } + [
                    "    return try RoutePattern(\(text)).path(values)",
                    "}",
                ]
            },
            KeyMember(key: name, sections: ["Patterns"], place: place, comment: "The pattern of the route.") {
                ["static let \($0) = \(text)"]
            },
        ]
    }
}

extension JSONDocument {
    /// The canonical hosts of a host map with their lines.
    fileprivate var canonicalHosts: [(name: String, line: Int)] {
        guard kind(at: 0) == .object, let list = find("configurations", in: 0).map({ $0 + 1 }), kind(at: list) == .array
        else {
            return []
        }
        return children(of: list).compactMap { item in
            guard kind(at: item) == .object, let name = find("canonical_host", in: item).map({ $0 + 1 }),
                kind(at: name) == .string
            else { return nil }
            return (string(at: name), position(of: range(of: name).lowerBound).line)
        }
    }
}

extension ConfigValue {
    /// Whether the value depends on an environment variable.
    fileprivate var usesVariable: Bool {
        switch self {
        case .string(let text): text.firstRange(of: "${env:") != nil
        case .array(let values): values.contains(where: \.usesVariable)
        default: false
        }
    }

    /// The type and the literal of a default value; nil for values without a type in source code.
    ///
    /// The literal is that of an empty value of the type if `isEmpty` is true.
    fileprivate func literal(isEmpty: Bool) -> (type: String, text: String)? {
        switch self {
        case .boolean(let value): return ("Bool", isEmpty ? "false" : "\(value)")
        case .integer(let value): return ("Int", isEmpty ? "0" : "\(value)")
        case .real(let value): return value.isFinite ? ("Double", isEmpty ? "0" : "\(value)") : nil
        case .string(let value): return ("String", isEmpty ? "\"\"" : KeyName.literal(value))
        case .array(let values):
            let elements = values.map { $0.literal(isEmpty: isEmpty) }
            guard let type = elements.first??.type, elements.allSatisfy({ $0?.type == type }) else { return nil }
            return ("[\(type)]", "[" + (isEmpty ? "" : elements.compactMap { $0?.text }.joined(separator: ", ")) + "]")
        default: return nil
        }
    }
}
