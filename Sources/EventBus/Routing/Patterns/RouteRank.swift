/// The precedence of a segment among the segments of a node: the tree tries the smaller rank first.
struct RouteRank: Comparable, Sendable {
    /// The six kinds of segments, in the order in which they are tried.
    enum Kind: Int, Sendable {
        case literal
        case typedWithText
        case withText
        case typed
        case plain
        case catchAll

        var text: String {
            switch self {
            case .literal: "a literal"
            case .typedWithText: "a typed parameter with text"
            case .withText: "a parameter with text"
            case .typed: "a typed parameter"
            case .plain: "a plain parameter"
            case .catchAll: "a catch-all"
            }
        }
    }

    let kind: Kind
    /// The order within a kind.
    private let order: [Int]

    init(_ segment: RouteSegment, in text: [UInt8], types: [RouteParameterType], foldsCase: Bool) {
        let (prefix, suffix) = (segment.prefix.count, segment.suffix.count)
        switch segment.kind {
        case .literal: kind = .literal
        case .catchAll: kind = .catchAll
        case .parameter where prefix + suffix > 0: kind = segment.type == nil ? .withText : .typedWithText
        case .parameter: kind = segment.type == nil ? .plain : .typed
        }
        let type = segment.type.map { $0.index(in: types) ?? types.count } ?? -1
        let bytes = (text[segment.prefix] + text[segment.suffix]).map {
            Int(RouteBytes.folded(UInt64($0), foldsCase))
        }
        order = kind == .literal ? bytes : [-prefix - suffix, -prefix, type] + bytes
    }

    static func < (a: Self, b: Self) -> Bool {
        a.kind == b.kind ? a.order.lexicographicallyPrecedes(b.order) : a.kind.rawValue < b.kind.rawValue
    }
}

extension RouteVariant {
    /// Returns the segment in the notation of a pattern.
    func label(_ index: Int) -> String {
        let segment = segments[index]
        func text(_ range: Range<Int>) -> String { String(decoding: self.text[range], as: UTF8.self) }
        if segment.kind == .literal { return text(segment.prefix) }
        // A parameter of the host has the first name.
        let number = names.count - segments[index...].count { $0.kind != .literal }
        let name = number < names.count ? names[number] : ""
        if segment.kind == .catchAll { return "*\(name)" }
        return text(segment.prefix) + ":\(name)" + (segment.type.map { "(\($0.name))" } ?? "") + text(segment.suffix)
    }

    /// Returns the ranks of all segments, by which whole routes are ordered.
    func ranks(_ types: [RouteParameterType], foldsCase: Bool) -> [RouteRank] {
        segments.map { RouteRank($0, in: text, types: types, foldsCase: foldsCase) }
    }
}
