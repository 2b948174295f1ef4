/// A family of hostile documents that grow in proportion to a number, and the parser that reads them.
struct Pattern: Sendable {
    typealias Reading = @Sendable () async -> Void

    let name: String
    /// The number of parts of the smallest document.
    let size: Int
    /// Makes the document with a number of parts; the result reads it.
    let prepare: @Sendable (_ size: Int) -> Reading

    init(_ name: String, _ size: Int, _ prepare: @escaping @Sendable (_ size: Int) -> Reading) {
        self.name = name
        self.size = size
        self.prepare = prepare
    }

    func read(_ size: Int) async { await prepare(size)() }

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
