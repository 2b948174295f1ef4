import AshlarCore

/// Changes of a JSON document that leave every other byte as it is.
///
/// The layout of new members is that of the document: its indentation, and its separator between keys and values. New
/// members are inserted in the order of their names, which is that of Apple's `sortedKeys`.
///
/// ```swift
/// let text = Array(#"{ "a" : 1 }"#.utf8)
/// let new = try JSONEdit.object(["a": .scalar("2")]).applied(to: text)  // { "a" : 2 }
/// ```
package indirect enum JSONEdit {
    /// A string, number, boolean or null in the notation of JSON.
    case scalar(String)
    /// Changes of an object's members; other members stay. A value that isn't an object is replaced.
    case object([String: JSONEdit])
    /// An object that replaces a value completely.
    case replacement([String: JSONEdit])

    package static func string(_ text: String) -> JSONEdit { .scalar(JSONText.quoted(text)) }

    /// Returns the text of a document with the changes.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package func applied(to text: [UInt8]) throws(JSONSyntaxError) -> [UInt8] {
        var writer = JSONEditWriter(document: try JSONDocument(text))
        writer.apply(self, at: 0, depth: 0)
        return writer.text(editing: text)
    }

    /// Whether a key is before another one: digits are compared as numbers, letters without case, and accents after the
    /// letter.
    package static func isSorted(_ first: String, before second: String) -> Bool {
        let (a, b) = (decomposed(first), decomposed(second))
        var (i, j) = (0, 0)
        // The order of keys that differ only in case or leading zeros.
        var tie = false
        var isTied = false
        func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
        while i < a.count, j < b.count {
            if isDigit(a[i]), isDigit(b[j]) {
                let (x, y) = (a[i...].prefix(while: isDigit), b[j...].prefix(while: isDigit))
                let (m, n) = (x.drop { $0 == "0" }, y.drop { $0 == "0" })
                if m.count != n.count { return m.count < n.count }
                if let (p, q) = zip(m, n).first(where: { $0 != $1 }) { return p < q }
                if !isTied, x.count != y.count { (tie, isTied) = (x.count < y.count, true) }
                (i, j) = (i + x.count, j + y.count)
                continue
            }
            let (x, y) = (a[i].properties.lowercaseMapping, b[j].properties.lowercaseMapping)
            if x != y { return x.unicodeScalars.lexicographicallyPrecedes(y.unicodeScalars) }
            if !isTied, a[i] != b[j] { (tie, isTied) = (a[i] < b[j], true) }
            (i, j) = (i + 1, j + 1)
        }
        return i < a.count || j < b.count ? j < b.count : tie
    }

    private static func decomposed(_ key: String) -> [Unicode.Scalar] {
        if key.utf8.allSatisfy({ $0 < 0x80 }) { return Array(key.unicodeScalars) }
        return key.unicodeScalars.flatMap { decompositions[Character($0)] ?? [$0] }
    }

    /// The letters and accents of Latin, Greek and Cyrillic characters, found by their canonical equivalence.
    private static let decompositions: [Character: [Unicode.Scalar]] = {
        var found: [Character: [Unicode.Scalar]] = [:]
        let letters: [ClosedRange<UInt32>] = [0x41...0x5A, 0x61...0x7A, 0x391...0x3C9, 0x410...0x44F]
        let accents: [ClosedRange<UInt32>] = [0x300...0x30C, 0x31B...0x31B, 0x323...0x328]
        for letter in letters.joined().compactMap(Unicode.Scalar.init) {
            for accent in accents.joined().compactMap(Unicode.Scalar.init) {
                found[Character(String(String.UnicodeScalarView([letter, accent])))] = [letter, accent]
            }
        }
        return found
    }()
}

/// Collects the changes of a document's text.
private struct JSONEditWriter {
    let document: JSONDocument
    private var separator = " : "
    private var indent = "  "
    private var lineEnd = "\n"
    private var edits: [(range: Range<Int>, text: String)] = []

    init(document: JSONDocument) {
        self.document = document
        guard document.kind(at: 0) == .object, let key = document.children(of: 0).first(where: { _ in true }) else {
            return
        }
        separator = text(document.range(of: key).upperBound..<document.range(of: key + 1).lowerBound)
        let start = document.range(of: key).lowerBound
        let space = text((document.range(of: 0).upperBound)..<start)
        if space.hasPrefix("\r\n") { lineEnd = "\r\n" }
        if space.utf8.contains(UInt8(ascii: "\n")) { indent = space.filter { $0 == " " || $0 == "\t" } }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(start: document.text, count: document.textCount)[range], as: UTF8.self)
    }

    func text(editing original: [UInt8]) -> [UInt8] {
        // The parser skips a byte order mark.
        let mark = original.count - document.textCount
        var new = Array(original[..<mark])
        var at = 0
        for (_, edit) in edits.enumerated().sorted(by: {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }) {
            new += original[(at + mark)..<(edit.range.lowerBound + mark)]
            new += edit.text.utf8
            at = edit.range.upperBound
        }
        return new + original[(at + mark)...]
    }

    mutating func apply(_ edit: JSONEdit, at index: Int, depth: Int) {
        guard case .object(let members) = edit, document.kind(at: index) == .object,
            let last = document.children(of: index).reduce(nil as Int?, { $1 })
        else {
            let new = rendered(edit, depth: depth)
            let range = range(of: index)
            if text(range) != new { edits.append((range, new)) }
            return
        }
        var added: [(name: String, edit: JSONEdit)] = []
        for (name, edit) in members {
            if let key = document.find(name, in: index) {
                apply(edit, at: key + 1, depth: depth + 1)
            } else {
                added.append((name, edit))
            }
        }
        guard !added.isEmpty else { return }
        let keys = document.children(of: index).map { (name: document.string(at: $0), index: $0) }
        var next = 0
        let start = lineEnd + String(repeating: indent, count: depth + 1)
        for (name, edit) in added.sorted(by: { JSONEdit.isSorted($0.name, before: $1.name) }) {
            let member = JSONText.quoted(name) + separator + rendered(edit, depth: depth + 1)
            while next < keys.count, !JSONEdit.isSorted(name, before: keys[next].name) { next += 1 }
            if next < keys.count {
                let place = document.range(of: keys[next].index).lowerBound
                edits.append((place..<place, member + "," + start))
            } else {
                let place = range(of: last + 1).upperBound
                edits.append((place..<place, "," + start + member))
            }
        }
    }

    private func rendered(_ edit: JSONEdit, depth: Int) -> String {
        switch edit {
        case .scalar(let text): return text
        case .object(let members), .replacement(let members):
            let start = lineEnd + String(repeating: indent, count: depth)
            if members.isEmpty { return "{" + lineEnd + start + "}" }
            let lines = members.sorted { JSONEdit.isSorted($0.key, before: $1.key) }.map {
                start + indent + JSONText.quoted($0.key) + separator + rendered($0.value, depth: depth + 1)
            }
            return "{" + lines.joined(separator: ",") + start + "}"
        }
    }

    /// Returns the range of a value, including the closing bracket of a container.
    private func range(of index: Int) -> Range<Int> {
        let range = document.range(of: index)
        let kind = document.kind(at: index)
        guard kind == .object || kind == .array else { return range }
        let last = document.children(of: index).reduce(nil as Int?) { $1 }
        var end = last.map { self.range(of: kind == .object ? $0 + 1 : $0).upperBound } ?? range.upperBound
        let close = kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
        while document.text[end] != close { end += 1 }
        return range.lowerBound..<(end + 1)
    }
}
