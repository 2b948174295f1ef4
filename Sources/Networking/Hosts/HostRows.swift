/// What a list, a menu or a table shows of one canonical host.
public struct HostSection: Hashable, Sendable, Identifiable {
    /// The canonical host as the map writes it.
    public var title: String
    /// The environments, in the order of the map.
    public var rows: [HostRow]

    /// The canonical host.
    public var id: String { title }

    /// Creates a section.
    public init(title: String, rows: [HostRow]) { (self.title, self.rows) = (title, rows) }

    /// The row at an index, or nil if there is none.
    public subscript(index: Int) -> HostRow? { rows.indices.contains(index) ? rows[index] : nil }
}

/// What a list, a menu or a table shows of one environment.
public struct HostRow: Hashable, Sendable, Identifiable {
    /// The key of the environment; the row's subtitle.
    public var key: String
    /// The host: the fixed one, the one made by what was typed last, or the pattern; empty if nothing was typed yet.
    public var title: String
    /// The scheme the environment insists on, or nil.
    public var scheme: String?
    /// Whether this environment is chosen; compared by key, so at most one row of a section is.
    public var isChosen: Bool
    /// Whether and how the host is typed.
    public var editing: HostEditing
    /// What was typed last, to begin an edit with; empty if nothing was.
    public var typedText: String

    /// The key of the environment.
    public var id: String { key }
    /// The key of the environment.
    public var subtitle: String { key }

    /// What an empty field shows, in English; empty for a fixed host.
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
                    let isChosen = choice?.key == entry.key
                    var title = entry.host ?? ""
                    if entry.editing != .none {
                        if isChosen, let choice {
                            title = choice.pair.host
                        } else if !typedText.isEmpty, let host = try? HostPattern(entry.host).fill(typedText) {
                            title = host
                        }
                    }
                    return HostRow(
                        key: entry.key, title: title, scheme: entry.scheme, isChosen: isChosen,
                        editing: entry.editing, typedText: typedText)
                })
        }
    }
}
