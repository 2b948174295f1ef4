/// A limit for a figure.
public struct Bar: Codable {
    let text: String
    let limit: Double
    let isUpper: Bool

    /// At most `ratio` times the peer's time.
    public static func atMost(_ ratio: Double) -> Bar { Bar(text: "≤ \(ratio.short) ×", limit: ratio, isUpper: true) }

    /// At least `factor` times as fast as the peer.
    public static func atLeast(_ factor: Double) -> Bar {
        Bar(text: "≥ \(factor.short) × as fast", limit: 1 / factor, isUpper: true)
    }

    /// A value of at most `limit`.
    public static func below(_ limit: Double) -> Bar { Bar(text: "≤ \(limit.short)", limit: limit, isUpper: true) }

    /// A value of at least `limit`.
    public static func above(_ limit: Double) -> Bar { Bar(text: "≥ \(limit.short)", limit: limit, isUpper: false) }

    func isMet(by value: Double) -> Bool { isUpper ? value <= limit : value >= limit }
}

/// A contender to compare with, and the bar for the ratio, if there is one.
public struct Peer {
    let contender: Contender
    let bar: Bar?

    /// Creates a peer with an optional bar.
    public init(_ contender: Contender, _ bar: Bar? = nil) { (self.contender, self.bar) = (contender, bar) }
}

/// A comparison in the table and in the JSON file.
struct Comparison: Codable {
    let peer: String
    let ratio: Double?
    let bar: Bar?
    let isMet: Bool?
    let leftOut: String?
}

/// A row in the table and in the JSON file.
struct RowResult: Codable {
    let name: String
    let note: String?
    let measurements: [Measurement]
    let comparisons: [Comparison]
    let value: Double?
    let unit: String?
}

extension Double {
    /// Three significant digits, without an exponent.
    var short: String {
        if self == 0 { return "0" }
        let size = abs(self)
        let decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let rounded = (self * scale).rounded() / scale
        return rounded == rounded.rounded() && size < 1e15 ? String(Int(rounded)) : String(rounded)
    }
}
