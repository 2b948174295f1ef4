internal import AshlarCore

extension HostSwitch {
    /// Replaces the map.
    ///
    /// Selections remain if the new map has their environments, and use its hosts and schemes; release and prerelease
    /// environments are those of the new map. Selections of hosts in only one of the maps are stored, and restored with
    /// the map that contains the host. Other selections are removed, with a warning if they were stored.
    public func update(_ map: HostMap) {
        try? change { snapshot, foreign, warnings in
            // Selections of hosts missing from the new map remain stored; those of hosts only in the new map are
            // restored.
            foreign += HostRestoration.remembered(snapshot).filter { map[$0.0] == nil }
            var restored = HostRestoration(map)
            restored.takeUp(JSONEntity(object: foreign))
            foreign = restored.foreign
            warnings += restored.warnings
            var choices = restored.choices
            let typed = snapshot.typed.merging(restored.typed) { present, _ in present }
            for configuration in map.configurations {
                let name = HostSyntax.normalized(configuration.canonicalHost)
                guard var choice = snapshot.choices[name], choice.origin != .defaulted else { continue }
                if choice.origin == .release { choice.key = configuration.releaseKey ?? "" }
                if choice.origin == .prerelease { choice.key = configuration.prereleaseKey ?? "" }
                guard let entry = configuration[choice.key] else {
                    if choice.isRemembered {
                        warnings.append(
                            HostWarning(
                                message: HostRestoration.goneMessage(choice.key),
                                path: "$" + JSONText.pathStep(configuration.canonicalHost) + ".key"))
                    }
                    continue
                }
                let pattern = HostPattern(entry.host)
                choice.pair.scheme = entry.scheme
                if pattern.editing == .none {
                    choice.pair.host = entry.host ?? ""
                } else if let text = snapshot.typed[name]?[choice.key], let host = try? pattern.fill(text) {
                    choice.pair.host = host
                } else {
                    continue
                }
                choices[name] = choice
            }
            return HostSnapshot(map: map, choices: choices, typed: typed, defaults: snapshot.defaults)
        }
    }

    /// Reads a map from a file and replaces the current one.
    ///
    /// - Throws: `.fileFailed` or `.invalidHostMap`; the current map is then unchanged.
    public func reload(contentsOfFile path: String, strict: Bool = false) throws(NetworkError) {
        update(try HostMap(contentsOfFile: path, strict: strict))
    }
}
