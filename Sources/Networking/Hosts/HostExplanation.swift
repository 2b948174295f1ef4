/// Why a canonical host is answered by the host it is.
public struct HostExplanation: Hashable, Sendable, CustomStringConvertible {
    /// The canonical host as it was asked for.
    public var canonicalHost: String
    /// The chosen pair, or nil if requests go to the canonical host itself.
    public var pair: ProtocolHostPair?
    /// The key of the chosen environment, or nil.
    public var key: String?
    /// Who chose, in words, or why nothing is chosen.
    public var reason: String
    /// The environments that were not chosen, in the order of the map.
    public var others: [String]
    /// File and line of the chosen environment, else of the configuration, as far as they are known.
    public var place: String?

    /// The explanation in one line.
    public var description: String {
        var text = "\(canonicalHost) → \(pair?.description ?? canonicalHost): \(reason)"
        if let place { text += " (\(place))" }
        if !others.isEmpty { text += "; not chosen: " + others.joined(separator: ", ") }
        return text
    }
}

extension HostSnapshot {
    /// Explains what ``resolve(_:scheme:)`` gives for a canonical host.
    ///
    /// - Complexity: O(*n*) in the number of the host's environments.
    public func explain(_ canonicalHost: String) -> HostExplanation {
        guard let configuration = map[canonicalHost] else {
            return HostExplanation(
                canonicalHost: canonicalHost, reason: "the host map does not know it", others: [], place: map.file)
        }
        let choice = choices[HostSyntax.normalized(canonicalHost)]
        let entry = choice.flatMap { configuration[$0.key] }
        let reason =
            switch choice?.origin {
            case nil: "nothing is chosen"
            case .chosen: "chosen by the user"
            case .restored: "chosen by the user in an earlier run"
            case .release: "the release environment"
            case .prerelease: "the prerelease environment"
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
