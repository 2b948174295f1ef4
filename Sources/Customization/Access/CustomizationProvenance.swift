/// The origin of a key's value: every layer that defines the key, the winner last.
public struct CustomizationExplanation: Sendable, Hashable, CustomStringConvertible {
    /// One layer's value for a key.
    public struct Candidate: Sendable, Hashable, CustomStringConvertible {
        /// The id of the layer, such as `fr.lproj`.
        public var layer: String
        /// The purpose of the layer.
        public var role: CustomizationLayer.Role
        /// The layer's value for the key.
        public var value: CustomizationValue
        /// The location of the value.
        public var location: CustomizationLocation

        /// The candidate on one line: location, value, role.
        public var description: String { "\(location): \(value) (\(role))" }
    }

    /// The key.
    public var key: String
    /// The table's name.
    public var table: String
    /// The layers that define the key, lowest first; the last one wins.
    public var candidates: [Candidate]
    /// The keys that an alias goes through, the key itself first; empty if the value is not an alias.
    public var aliases: [String]

    /// The candidate that wins; nil if no layer defines the key.
    public var winner: Candidate? { candidates.last }

    /// The candidates, one per line, the winner first and marked.
    public var description: String {
        guard let winner else { return "\(key): not defined in table \(table)" }
        var lines = ["\(key) = \(winner.value)", "  * \(winner)"]
        lines += candidates.dropLast().reversed().map { "    \($0)" }
        if aliases.count > 1 { lines.append("    alias: " + aliases.joined(separator: " → ")) }
        return lines.joined(separator: "\n")
    }
}

extension Customization {
    /// Returns the layers that define a key, with their values and locations, the winner last.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The layers that define the key, and the path of its alias.
    /// - Complexity: O(*layers*), and O(*n*) in the bytes of a file for its first call.
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
