internal import AshlarCore

/// The layout of JSON text.
public struct JSONStyle: Hashable, Sendable {
    /// The number of spaces for each level of indentation, 0 to 16; nil writes one line without spaces.
    var indent: Int?
    /// Whether the members of objects are sorted by the UTF-8 of their keys.
    var sortsKeys: Bool

    /// Creates a style.
    public init(indent: Int? = nil, sortsKeys: Bool = false) {
        self.indent = indent
        self.sortsKeys = sortsKeys
    }

    /// One line without spaces, with members in the order of the document.
    public static let compact = JSONStyle()
    /// One line for each element and member, indented by two spaces.
    public static let pretty = JSONStyle(indent: 2)
    /// One line without spaces, with members sorted by key.
    public static let sorted = JSONStyle(sortsKeys: true)
}

extension JSONEntity: CustomStringConvertible {
    /// Returns the value as UTF-8 text; a missing one is `null`.
    ///
    /// Numbers and strings are written as in the document, so nothing is lost, and compact JSON is reproduced byte by
    /// byte.
    ///
    /// - Complexity: O(*n*) in the length of the value's text, plus the sorting of keys.
    public func bytes(_ style: JSONStyle = .compact) -> [UInt8] {
        var output: [UInt8] = []
        write(to: &output, style)
        return output
    }

    /// Returns the value as text; see ``bytes(_:)``.
    public func text(_ style: JSONStyle = .compact) -> String { String(decoding: bytes(style), as: UTF8.self) }

    /// The value as compact text, or `missing` with the requested path.
    public var description: String {
        isValid ? text() : isImpossible ? "impossible JSON: too deep, too large or not a number" : "missing \(path)"
    }

    func write(to output: inout [UInt8], _ style: JSONStyle = .compact, keepsNulls: Bool = true) {
        guard isValid else {
            output += Array("null".utf8)
            return
        }
        JSONWriter(document: document, style: style, keepsNulls: keepsNulls).write(Int(index), to: &output, level: 0)
    }
}

/// Writes values from the tape.
///
/// The depth limit of documents bounds the recursion.
private struct JSONWriter {
    let document: JSONDocument
    let style: JSONStyle
    /// Whether elements and members with the value `null` are written.
    let keepsNulls: Bool

    func write(_ index: Int, to output: inout [UInt8], level: Int) {
        let word = document.word(at: index)
        guard JSONTape.isContainer(word) else {
            document.copy(index, to: &output)
            return
        }
        let isObject = JSONTape.kind(word) == JSONTape.object
        output.append(isObject ? 0x7B : 0x5B)
        var isFirst = true
        func put(_ position: Int) {
            let value = isObject ? position + 1 : position
            guard keepsNulls || !isNull(value, under: isObject ? position : nil, in: index) else { return }
            if !isFirst { output.append(0x2C) }
            isFirst = false
            newLine(level + 1, to: &output)
            if isObject {
                document.copy(position, to: &output)
                output.append(0x3A)
                if style.indent != nil { output.append(0x20) }
            }
            write(value, to: &output, level: level + 1)
        }
        if isObject, style.sortsKeys {
            for position in sortedKeys(of: index) { put(position) }
        } else {
            for position in document.children(of: index) { put(position) }
        }
        if !isFirst { newLine(level, to: &output) }
        output.append(isObject ? 0x7D : 0x5D)
    }

    /// Whether a value is `null`; for duplicate keys, the last value decides.
    private func isNull(_ value: Int, under key: Int?, in object: Int) -> Bool {
        let last = key.flatMap { document.find(document.string(at: $0), in: object) }.map { $0 + 1 } ?? value
        return JSONTape.kind(document.word(at: last)) == JSONTape.null
    }

    /// Returns the positions of the keys of an object, sorted; duplicate keys retain their order, so that the last one
    /// applies.
    private func sortedKeys(of object: Int) -> [Int] {
        document.children(of: object).map { (Array(document.string(at: $0).utf8), $0) }
            .sorted { a, b in a.0 == b.0 ? a.1 < b.1 : a.0.lexicographicallyPrecedes(b.0) }
            .map(\.1)
    }

    private func newLine(_ level: Int, to output: inout [UInt8]) {
        guard let indent = style.indent else { return }
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: min(max(indent, 0), 16) * level))
    }
}
