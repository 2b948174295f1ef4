/// A family of hostile documents that grow in proportion to a number, and the parser that reads them.
struct Pattern: Sendable {
    typealias Reading = @Sendable () -> Void
    typealias Exchange = @Sendable () async -> Void

    let name: String
    /// The number of parts of the smallest document.
    let size: Int
    /// Makes the document with a number of parts, and returns a closure that reads it; nil if an exchange reads it.
    let reading: (@Sendable (_ size: Int) -> Reading)?
    /// The same for all documents.
    let exchange: @Sendable (_ size: Int) -> Exchange

    init(_ name: String, _ size: Int, _ prepare: @escaping @Sendable (_ size: Int) -> Reading) {
        self.name = name
        self.size = size
        reading = prepare
        exchange = prepare
    }

    init(_ name: String, _ size: Int, exchange: @escaping @Sendable (_ size: Int) -> Exchange) {
        self.name = name
        self.size = size
        reading = nil
        self.exchange = exchange
    }

    static let all: [Pattern] = documents + configurations + texts + messages + exchanges
}

/// Repeats a text with the number of the repetition in the place of each `#`.
func repeated(_ text: String, _ count: Int, separator: String = "", numbered: Bool = true) -> String {
    guard numbered else { return Array(repeating: text, count: count).joined(separator: separator) }
    return (0..<count).map { text.replacing("#", with: String($0)) }.joined(separator: separator)
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
