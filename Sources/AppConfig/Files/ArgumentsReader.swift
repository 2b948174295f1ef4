/// Reads arguments: `--set path=value` and, for known paths, `--path=value`, `--path value`, and `--switch`.
///
/// `--` ends them. Each other argument adds a diagnostic without its text, which may be a secret.
struct ArgumentsReader {
    private var known: ConfigKnownPaths
    private var given = ConfigGivenValues()
    /// The elements of arrays that are given by several arguments.
    private var lists: [[ConfigPath.Component]: [ConfigValue]] = [:]

    static func read(_ arguments: [String], known: ConfigKnownPaths) -> ConfigGivenValues {
        var reader = ArgumentsReader(known: known)
        reader.read(arguments)
        return reader.given
    }

    private init(known: ConfigKnownPaths) { self.known = known }

    private mutating func read(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" { break }
            guard argument.hasPrefix("--") else {
                ignore("argument \(rest.startIndex)", "not an option")
                continue
            }
            let name = String(argument.dropFirst(2))
            let isSetOption = name == "set" || name.hasPrefix("set=") && !match("set").isKnown
            if isSetOption {
                guard let text = name == "set" ? rest.popFirst() : String(name.dropFirst(4)) else {
                    given.errors.append(malformed("nothing"))
                    break
                }
                guard let (path, value) = Self.divided(text) else {
                    given.errors.append(malformed("no path"))
                    continue
                }
                assign(value, at: path, match(path), "--set \(path)")
            } else if let (path, value) = Self.divided(name) {
                let match = match(path)
                if match.isKnown { assign(value, at: path, match, "--\(path)") } else { ignore(unknown: path) }
            } else if name.hasPrefix("=") {
                given.errors.append(malformed("no path"))
            } else {
                let match = match(name)
                guard match.isKnown, !match.steps.isEmpty else {
                    ignore(unknown: name)
                    continue
                }
                if let value = value(of: match, name, &rest) { assign(value, at: name, match, "--\(name)") }
            }
        }
    }

    /// Returns the value after a name: a switch needs none.
    private mutating func value(
        of match: ConfigKnownPaths.Match, _ name: String, _ rest: inout ArraySlice<String>
    ) -> String? {
        let isSwitch = match.shape?.isBoolean ?? (match.node?.kind == .boolean)
        if isSwitch {
            guard let next = rest.first, ["true", "false", "yes", "no", "on", "off"].contains(next.lowercased()) else {
                return "true"
            }
        } else if rest.first?.hasPrefix("--") ?? true {
            let found = rest.isEmpty ? "nothing" : "another option"
            given.errors.append(
                ConfigError(
                    .malformedSource, key: ConfigPath(match.steps), location: ConfigLocation(file: "--\(name)"),
                    expected: "a value", found: found))
            return nil
        }
        return rest.popFirst()
    }

    private mutating func assign(
        _ text: String, at path: String, _ match: ConfigKnownPaths.Match, _ name: String
    ) {
        let location = ConfigLocation(file: name)
        do throws(ConfigError) {
            guard match.steps.first?.key != nil, match.steps.count <= ConfigKnownPaths.maximumDepth else {
                throw ConfigError(
                    .malformedSource, key: ConfigPath(path), location: location,
                    expected: "a path of 1 to \(ConfigKnownPaths.maximumDepth) steps that begins with a key",
                    found: "another path")
            }
            var value = try ConfigGivenText.value(text, of: match, location)
            if match.shape?.isArray == true, let elements = value.array {
                // As in other programs, a repeated option adds elements.
                lists[match.steps, default: []] += elements
                value = .array(lists[match.steps] ?? elements)
            }
            given.values.append(.init(steps: match.steps, value: value, location: location))
        } catch {
            given.errors.append(error)
        }
    }

    private mutating func match(_ path: String) -> ConfigKnownPaths.Match {
        let isRootKey = known.root.child(.key(path)) != nil
        return known.match(argument: isRootKey ? ConfigPath(components: [path]) : ConfigPath(path))
    }

    /// Returns the text before and after the first `=`; nil if either the sign or the path is missing.
    private static func divided(_ text: String) -> (path: String, value: String)? {
        // By bytes: the sign and a combining mark are one character.
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals != text.startIndex else { return nil }
        return (String(text[..<equals]), String(text[text.utf8.index(after: equals)...]))
    }

    private mutating func ignore(unknown path: String) { ignore("--\(path)", "unknown key", ConfigPath(path)) }

    private mutating func ignore(_ place: String, _ reason: String, _ key: ConfigPath? = nil) {
        given.diagnostics.append(
            ConfigDiagnostic(
                .unknownKey, key: key, location: ConfigLocation(file: place), message: "ignored argument: \(reason)"))
    }

    private func malformed(_ found: String) -> ConfigError {
        ConfigError(.malformedSource, location: ConfigLocation(file: "--set"), expected: "path=value", found: found)
    }
}
