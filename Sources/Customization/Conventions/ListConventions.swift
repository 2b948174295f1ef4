/// The words and symbols between the items of a list.
struct ListConventions: Sendable {
    /// A text with two placeholders for items, `<` and `>`, such as `< and >`.
    private struct Pair: Sendable {
        private let (before, between, after): (String, String, String)

        init(_ text: Substring) {
            // Bytes, because a combining mark after a placeholder would form one character with it.
            let bytes = text.utf8.map { $0 == UInt8(ascii: "~") ? UInt8(ascii: " ") : $0 }
            let first = bytes.prefix { $0 != UInt8(ascii: "<") }
            let middle = bytes[first.endIndex...].dropFirst().prefix { $0 != UInt8(ascii: ">") }
            let last = bytes[middle.endIndex...].dropFirst()
            (before, between) = (
                String(decoding: first, as: UTF8.self), String(decoding: middle, as: UTF8.self)
            )
            after = String(decoding: last, as: UTF8.self)
        }

        func text(_ first: String, _ second: String) -> String {
            before + first + between + second + after
        }
    }

    private let (two, start, middle, end): (Pair, Pair, Pair, Pair)

    /// Reads the patterns for two items, and for the start, middle and end of longer lists.
    ///
    /// An example is `<~and~>|<,~>|<,~>|<,~and~>`. An omitted pattern equals the one before it.
    init(_ text: Substring) {
        let fields = text.split(separator: "|").map { Pair($0) }
        (two, start) = (fields[0], fields[min(1, fields.count - 1)])
        (middle, end) = (fields[min(2, fields.count - 1)], fields[min(3, fields.count - 1)])
    }

    func text(_ items: [String]) -> String {
        guard var text = items.last else { return "" }
        if items.count == 1 { return text }
        if items.count == 2 { return two.text(items[0], text) }
        // The patterns are nested from the end: start(a, middle(b, end(c, d))).
        text = end.text(items[items.count - 2], text)
        for item in items.dropLast(2).dropFirst().reversed() { text = middle.text(item, text) }
        return start.text(items[0], text)
    }

    private static let patterns = CLDRFormatData.listPatterns.split { $0 == " " || $0 == "\n" }.map {
        ListConventions($0)
    }
    private static let locales = CLDRTable.read(CLDRFormatData.lists).mapValues { numbers in
        numbers.split(separator: ".").compactMap { Int($0) }
    }

    /// Returns the patterns of a language, in the order of ``LanguageConventions/ListStyle``.
    static func of(_ language: LanguageTag) -> [ListConventions] {
        (CLDRTable.lookUp(language, in: locales) ?? [0, 0, 0]).map { patterns[$0] }
    }
}
