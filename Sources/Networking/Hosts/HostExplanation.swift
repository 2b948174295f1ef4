/// The reason why a canonical host resolves to its current host.
public struct HostExplanation: Hashable, Sendable, CustomStringConvertible {
    /// The requested canonical host.
    public var canonicalHost: String
    /// The selected pair, or nil if requests go to the canonical host itself.
    public var pair: ProtocolHostPair?
    /// The key of the selected environment, or nil.
    public var key: String?
    /// The origin of the selection in words, or the reason that there is none.
    public var reason: String
    /// The keys of the other environments, in the order of the map.
    public var others: [String]
    /// The file, and the line of the selected environment or of the configuration, if known.
    public var place: String?

    /// The explanation in one line.
    public var description: String {
        var text = "\(canonicalHost) → \(pair?.description ?? canonicalHost): \(reason)"
        if let place { text += " (\(place))" }
        if !others.isEmpty { text += "; not selected: " + others.joined(separator: ", ") }
        return text
    }
}

extension HostSnapshot {
    /// Explains the result of ``resolve(_:scheme:)`` for a canonical host.
    ///
    /// - Complexity: O(*n*) in the number of the host's environments.
    public func explain(_ canonicalHost: String) -> HostExplanation {
        guard let configuration = map[canonicalHost] else {
            return HostExplanation(
                canonicalHost: canonicalHost, reason: "the host map doesn't contain it", others: [], place: map.file)
        }
        let choice = choices[HostSyntax.normalized(canonicalHost)]
        let entry = choice.flatMap { configuration[$0.key] }
        let reason =
            switch choice?.origin {
            case nil: "nothing is selected"
            case .chosen: "selected by the user"
            case .restored: "selected by the user in an earlier run"
            case .release: "the release environment"
            case .prerelease: "the prerelease environment"
            case .defaulted: "the default; nothing is selected"
            }
        let line = (entry?.line ?? configuration.line).map { "line \($0)" }
        let place = [map.file, line].compactMap { $0 }
        return HostExplanation(
            canonicalHost: canonicalHost, pair: resolve(canonicalHost), key: choice?.key,
            reason: choice.map { "\"\($0.key)\", \(reason)" } ?? reason,
            others: configuration.hosts.map(\.key).filter { $0 != choice?.key },
            place: place.isEmpty ? nil : place.joined(separator: ", "))
    }
}
