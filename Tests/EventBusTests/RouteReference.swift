import AshlarEventBus

/// A slow and obviously correct matcher: it tries every route for the whole path and sorts the hits.
///
/// It shares nothing with the router but the answers that are compared: patterns are built here as values, not parsed,
/// and types are rules of its own.
struct RouteReference {
    enum Piece: Hashable {
        case literal(String)
        /// The number of a type in `types`, or nil.
        case parameter(before: String, name: String, type: Int?, after: String)
        case catchAll(name: String)
    }

    struct Hit {
        var route: Int
        var values: [String: String]
        var rank: [[Int]]
    }

    static let types: [(name: String, accepts: @Sendable (String) -> Bool)] = [
        ("bool", { $0 == "true" || $0 == "false" }),
        ("uint", { !$0.isEmpty && $0.allSatisfy { "0123456789".contains($0) } && UInt64($0) != nil }),
        ("int", { !$0.hasPrefix("+") && Int64($0) != nil }),
        (
            "slug",
            {
                $0.unicodeScalars.allSatisfy {
                    $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains($0))
                }
            }
        ),
    ]

    var routes: [[Piece]]

    static func text(_ pieces: [Piece]) -> String {
        func escaped(_ text: String) -> String {
            text.map { ":*{}\\?#%/".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        }
        let parts = pieces.map { piece in
            switch piece {
            case .literal(let text): escaped(text)
            case .parameter(let before, let name, let type, let after):
                // An escape ends the name before a suffix that begins with a letter.
                escaped(before) + ":\(name)" + (type.map { "(\(types[$0].name))" } ?? "")
                    + (after.isEmpty ? "" : "\\\(after.first!)" + escaped(String(after.dropFirst())))
            case .catchAll(let name): "*\(name)"
            }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The pattern without its names, which two routes must not have in common.
    static func shape(_ pieces: [Piece]) -> [Piece] {
        pieces.map { piece in
            switch piece {
            case .literal: piece
            case .parameter(let before, _, let type, let after):
                .parameter(before: before, name: "", type: type, after: after)
            case .catchAll: .catchAll(name: "")
            }
        }
    }

    /// Returns the best match among all routes for decoded segments.
    func match(_ segments: [String]) -> Hit? {
        let hits = routes.indices.compactMap { hit($0, segments) }
        return hits.min { a, b in a.rank.lexicographicallyPrecedes(b.rank) { $0.lexicographicallyPrecedes($1) } }
    }

    private func hit(_ route: Int, _ segments: [String]) -> Hit? {
        var (hit, rest) = (Hit(route: route, values: [:], rank: []), segments[...])
        for piece in routes[route] {
            switch piece {
            case .catchAll(let name):
                guard !rest.isEmpty, rest != [""] else { return nil }
                hit.values[name] = rest.joined(separator: "/")
                hit.rank.append([5])
                return hit
            case .literal(let text):
                guard rest.popFirst() == text else { return nil }
                hit.rank.append([0])
            case .parameter(let before, let name, let type, let after):
                guard let segment = rest.popFirst(), segment.hasPrefix(before), segment.hasSuffix(after),
                    segment.count > before.count + after.count
                else { return nil }
                let value = String(segment.dropFirst(before.count).dropLast(after.count))
                if let type, !Self.types[type].accepts(value) { return nil }
                hit.values[name] = value
                let hasText = !(before + after).isEmpty
                let order = hasText ? (type == nil ? 2 : 1) : (type == nil ? 4 : 3)
                hit.rank.append(
                    [order, -(before + after).count, -before.count, type ?? -1] + (before + after).utf8.map(Int.init))
            }
        }
        return rest.isEmpty ? hit : nil
    }
}
