/// Where a key's value comes from: every layer that has the key, the winner last.
public struct CustomizationExplanation: Sendable, Hashable, CustomStringConvertible {
    /// One layer's say about a key.
    public struct Candidate: Sendable, Hashable, CustomStringConvertible {
        /// The id of the layer, such as `fr.lproj`.
        public var layer: String
        /// What the layer is for.
        public var role: CustomizationLayer.Role
        /// What the layer holds for the key.
        public var value: CustomizationValue
        /// Where the layer holds it.
        public var location: CustomizationLocation

        /// The candidate on one line: place, value, role.
        public var description: String { "\(location): \(value) (\(role))" }
    }

    /// The key.
    public var key: String
    /// The table's name.
    public var table: String
    /// The layers that have the key, lowest first; the last one wins.
    public var candidates: [Candidate]
    /// The keys that an alias goes through, the key itself first; empty if the value is no alias.
    public var aliases: [String]

    /// The layer whose value counts, or nil if none has the key.
    public var winner: Candidate? { candidates.last }

    /// The candidates one per line, the winner first and marked.
    public var description: String {
        guard let winner else { return "\(key): in no layer of table \(table)" }
        var lines = ["\(key) = \(winner.value)", "  * \(winner)"]
        lines += candidates.dropLast().reversed().map { "    \($0)" }
        if aliases.count > 1 { lines.append("    alias: " + aliases.joined(separator: " → ")) }
        return lines.joined(separator: "\n")
    }
}

extension Customization {
    /// Tells which layers have a key, what each holds and where, the winner last.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The layers that have the key, and the path of its alias.
    /// - Complexity: O(*layers*), and O(*n*) in the bytes of a file at its first question.
    public func explain(_ key: String, table: String? = nil) -> CustomizationExplanation {
        let name = table ?? CustomizationLayer.defaultTable
        let candidates = layers.compactMap { layer in
            layer.tables[name]?.entry(key).map {
                CustomizationExplanation.Candidate(
                    layer: layer.id, role: layer.role, value: $0.value, location: $0.location)
            }
        }
        var aliases: [String] = []
        if let composed = storage.table(table) {
            let slot = composed.slot(key)
            if slot >= 0 { aliases = composed.aliasPath(of: slot) }
        }
        return CustomizationExplanation(
            key: key, table: name, candidates: candidates, aliases: aliases.count > 1 ? aliases : [])
    }
}
