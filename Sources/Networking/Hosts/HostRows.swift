/// The rows of one canonical host, for a list, menu or table.
public struct HostSection: Hashable, Sendable, Identifiable {
    /// The canonical host as written in the map.
    public var title: String
    /// The environments in the order of the map.
    public var rows: [HostRow]

    /// The canonical host.
    public var id: String { title }
}

/// A row for one environment, for a list, menu or table.
public struct HostRow: Hashable, Sendable, Identifiable {
    /// The key of the environment, which is the row's subtitle.
    public var key: String
    /// The fixed host, the host with the last typed text, or the pattern; empty if the whole host is typed and nothing
    /// has been.
    public var title: String
    /// The scheme of the environment, or nil.
    package var scheme: String?
    /// Whether this environment is selected; at most one row of a section is.
    public var isSelected: Bool
    /// The kind of text that is typed for the host.
    public var editing: HostEditing
    /// The last typed text, as the initial text for editing; empty if there is none.
    public var typedText: String

    /// The key of the environment.
    public var id: String { key }
    /// The key of the environment.
    public var subtitle: String { key }

    /// The placeholder in English for an empty text field; empty for a fixed host.
    public var prompt: String {
        switch editing {
        case .none: ""
        case .text: #"Enter custom host (e.g. "api.host.com")"#
        case .digits: "Enter digits"
        }
    }
}

extension HostSnapshot {
    /// A section for each canonical host, in the order of the map.
    ///
    /// - Complexity: O(*n*) in the number of environments.
    public var rows: [HostSection] {
        map.configurations.map { configuration in
            let name = HostSyntax.normalized(configuration.canonicalHost)
            let choice = choices[name]
            return HostSection(
                title: configuration.canonicalHost,
                rows: configuration.hosts.map { entry in
                    let typedText = typed[name]?[entry.key] ?? ""
                    let isSelected = choice?.key == entry.key
                    var title = entry.host ?? ""
                    if entry.editing != .none {
                        if isSelected, let choice {
                            title = choice.pair.host
                        } else if !typedText.isEmpty, let host = try? HostPattern(entry.host).fill(typedText) {
                            title = host
                        }
                    }
                    return HostRow(
                        key: entry.key, title: title, scheme: entry.scheme, isSelected: isSelected,
                        editing: entry.editing, typedText: typedText)
                })
        }
    }
}

extension HostSnapshot {
    /// Explains the result of ``resolve(_:scheme:)`` for a canonical host.
    ///
    /// - Complexity: O(*n*) in the number of the host's environments.
    func explain(_ canonicalHost: String) -> String {
        guard let configuration = map[canonicalHost] else {
            let place = map.file.map { " (\($0))" } ?? ""
            return "\(canonicalHost) → \(canonicalHost): the host map doesn't contain it\(place)"
        }
        let choice = choices[HostSyntax.normalized(canonicalHost)]
        let reason =
            switch choice?.origin {
            case nil: "nothing is selected"
            case .chosen: "selected by the user"
            case .restored: "selected by the user in an earlier run"
            case .release: "the release environment"
            case .prerelease: "the prerelease environment"
            case .defaulted: "the default; nothing is selected"
            }
        var text = "\(canonicalHost) → \(resolve(canonicalHost)?.description ?? canonicalHost): "
        text += (choice.map { "\"\($0.key)\", " } ?? "") + reason
        let line = (choice.flatMap { configuration[$0.key] }?.line ?? configuration.line).map { "line \($0)" }
        let place = [map.file, line].compactMap { $0 }
        if !place.isEmpty { text += " (\(place.joined(separator: ", ")))" }
        let others = configuration.hosts.map(\.key).filter { $0 != choice?.key }
        return others.isEmpty ? text : text + "; not selected: " + others.joined(separator: ", ")
    }
}
