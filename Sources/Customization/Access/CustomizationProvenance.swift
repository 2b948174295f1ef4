internal import AshlarCore

/// The origin of a key's value: every layer that defines the key.
public struct CustomizationExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The value of a layer for a key.
    public struct Candidate: Sendable, Hashable {
        /// The identifier of the layer, such as `fr.lproj`.
        public var layer: String
        /// The purpose of the layer.
        package var role: CustomizationLayer.Role
        /// The layer's value for the key.
        public var value: CustomizationValue
        /// The location of the value.
        public var location: CustomizationLocation

        /// The candidate in one line: location, value, role.
        fileprivate var line: String { "\(location): \(value) (\(role.description))" }
    }

    /// The key.
    package var key: String
    /// The table's name.
    package var table: String
    /// The layers that define the key, lowest first; the last one provides the value.
    public var candidates: [Candidate]
    /// The keys that an alias refers to, the key itself first; empty if the value isn't an alias.
    package var aliases: [String]

    /// The candidate that provides the value; nil if no layer defines the key.
    public var winner: Candidate? { candidates.last }

    /// The candidates, one per line, the winner first and marked with `*`.
    public var description: String {
        guard let winner else { return "\(key): not defined in table \(table)" }
        var lines = ["\(key) = \(winner.value)", "  * \(winner.line)"]
        lines += candidates.dropLast().reversed().map { "    \($0.line)" }
        if !aliases.isEmpty { lines.append("    alias: " + aliases.joined(separator: " → ")) }
        return lines.map(\.onOneLine).joined(separator: "\n")
    }
}

extension Customization {
    /// The errors of aliases in the snapshot, by table and key.
    package var aliasErrors: [CustomizationError] {
        var errors: [CustomizationError] = []
        for (name, table) in storage.tables.sorted(by: { $0.key < $1.key }) {
            for entry in table.entries where entry.target == nil {
                do throws(CustomizationError) { _ = try find(entry.key, table: name) } catch { errors.append(error) }
            }
        }
        return errors
    }

    /// Explains the value of a key: the layers that define it, with values and locations.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The layers that define the key, and the path of its alias.
    /// - Complexity: O(*layers*); the first call for a file is O(*n*) in its bytes.
    public func explain(_ key: String, table: String? = nil) -> CustomizationExplanation {
        let name = table ?? CustomizationLayer.defaultTable
        let candidates = layers.compactMap { layer in
            layer.tables[name]?.entry(key).map {
                CustomizationExplanation.Candidate(
                    layer: layer.id, role: layer.role, value: $0.value, location: $0.location)
            }
        }
        var aliases: [String] = []
        if let composed = storage.table(table), let number = composed.number(of: key) {
            aliases = composed.aliasPath(of: number).keys
        }
        return CustomizationExplanation(
            key: key, table: name, candidates: candidates, aliases: aliases.count > 1 ? aliases : [])
    }
}
