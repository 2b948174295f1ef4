import AshlarCustomization

/// The XML of Android's values files: elements, attributes, text, comments, CDATA and references.
///
/// Document types are skipped and define nothing, so no reference can grow or reach outside.
struct AndroidXML {
    /// An element and what stands in it.
    struct Node {
        enum Child {
            case element(Node)
            case text(String)
            case comment(String, offset: Int)
        }

        let name: String
        let attributes: [String: String]
        var children: [Child] = []
        let offset: Int

        var elements: [Node] {
            children.compactMap { child in
                if case .element(let node) = child { node } else { nil }
            }
        }

        /// The text inside with its markup as text; the `xliff` elements, which only mark placeholders, are left out.
        var rawText: String {
            children.reduce(into: "") { text, child in
                switch child {
                case .text(let piece): text += piece
                case .comment: break
                case .element(let node):
                    if node.name.hasPrefix("xliff:") {
                        text += node.rawText
                    } else {
                        let attributes = node.attributes.sorted { $0.key < $1.key }.map {
                            " \($0.key)=\\\"\($0.value)\\\""
                        }
                        text += "<\(node.name)\(attributes.joined())>" + node.rawText + "</\(node.name)>"
                    }
                }
            }
        }
    }

    /// Why a file is not well-formed.
    struct Failure: Error {
        let message: String
        let offset: Int
    }

    /// Deeper nesting is refused; values files have three levels and a few of markup.
    private static let deepest = 64

    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a file.
    ///
    /// - Returns: The root element with the comments before it, and a failure; the root then holds what came before.
    static func read(_ text: String) -> (root: Node?, comments: [String], failure: Failure?) {
        var reader = AndroidXML(Array(text.utf8))
        return reader.document()
    }

    // MARK: Grammar

    private mutating func document() -> (root: Node?, comments: [String], failure: Failure?) {
        var comments: [String] = []
        // The open elements, the outermost first.
        var stack: [Node] = []
        var root: Node?
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        do throws(Failure) {
            while index < bytes.count {
                let start = index
                if bytes[index] != UInt8(ascii: "<") {
                    let text = try text()
                    if !stack.isEmpty { stack[stack.count - 1].children.append(.text(text)) }
                } else if take("<!--") {
                    let comment = try through("-->", from: start)
                    if stack.isEmpty {
                        comments.append(comment)
                    } else {
                        stack[stack.count - 1].children.append(.comment(comment, offset: start))
                    }
                } else if take("<![CDATA[") {
                    let text = try through("]]>", from: start)
                    if !stack.isEmpty { stack[stack.count - 1].children.append(.text(text)) }
                } else if take("<?") {
                    _ = try through("?>", from: start)
                } else if take("<!") {
                    try documentType(from: start)
                } else if take("</") {
                    let name = try name()
                    skipSpace()
                    guard take(">"), stack.last?.name == name else {
                        throw Failure(message: "</\(name)> closes no element", offset: start)
                    }
                    close(stack.removeLast(), &stack, &root)
                } else {
                    index += 1
                    let (node, isEmpty) = try openTag(from: start)
                    guard root == nil else { throw Failure(message: "there are two root elements", offset: start) }
                    if isEmpty {
                        close(node, &stack, &root)
                    } else {
                        guard stack.count < Self.deepest else {
                            throw Failure(message: "elements are nested more than \(Self.deepest) deep", offset: start)
                        }
                        stack.append(node)
                    }
                }
            }
            if let open = stack.last { throw Failure(message: "<\(open.name)> is not closed", offset: open.offset) }
            if root == nil { throw Failure(message: "there is no element", offset: 0) }
            return (root, comments, nil)
        } catch {
            // Elements that were complete are kept; the open ones but the root may lack their end.
            return (root ?? stack.first, comments, error)
        }
    }

    private func close(_ node: Node, _ stack: inout [Node], _ root: inout Node?) {
        if stack.isEmpty { root = node } else { stack[stack.count - 1].children.append(.element(node)) }
    }

    private mutating func openTag(from start: Int) throws(Failure) -> (Node, isEmpty: Bool) {
        let name = try name()
        var attributes: [String: String] = [:]
        while true {
            skipSpace()
            if take("/>") { return (Node(name: name, attributes: attributes, offset: start), true) }
            if take(">") { return (Node(name: name, attributes: attributes, offset: start), false) }
            let attribute = try self.name()
            skipSpace()
            guard take("=") else { throw Failure(message: "expected = after \(attribute)", offset: index) }
            skipSpace()
            guard index < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[index]) else {
                throw Failure(message: "the value of \(attribute) is not quoted", offset: index)
            }
            let quote = bytes[index]
            index += 1
            guard let end = bytes[index...].firstIndex(of: quote) else {
                throw Failure(message: "the value of \(attribute) has no end", offset: index)
            }
            attributes[attribute] = try resolved(index..<end)
            index = end + 1
        }
    }

    private mutating func name() throws(Failure) -> String {
        let start = index
        while index < bytes.count, !" \t\r\n=/<>\"'&!?".utf8.contains(bytes[index]) { index += 1 }
        guard index > start else { throw Failure(message: "expected a name", offset: start) }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func text() throws(Failure) -> String {
        let start = index
        index = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        return try resolved(start..<index)
    }

    /// The text of a range with its references resolved and its line ends as XML has them.
    private func resolved(_ range: Range<Int>) throws(Failure) -> String {
        var result: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] == UInt8(ascii: "\r") {
                result.append(UInt8(ascii: "\n"))
                index += index + 1 < range.upperBound && bytes[index + 1] == UInt8(ascii: "\n") ? 2 : 1
            } else if bytes[index] == UInt8(ascii: "&") {
                guard let end = bytes[index..<range.upperBound].prefix(14).firstIndex(of: UInt8(ascii: ";")) else {
                    throw Failure(message: "& begins no reference; write &amp;", offset: index)
                }
                let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
                guard let scalar = Self.reference(name) else {
                    throw Failure(message: "&\(name); is not known", offset: index)
                }
                result += String(scalar).utf8
                index = end + 1
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func reference(_ name: String) -> Character? {
        let names: [String: Character] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        if let known = names[name] { return known }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let value = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap(Unicode.Scalar.init).map { Character($0) }
    }

    /// Skips a document type with its internal subset.
    private mutating func documentType(from start: Int) throws(Failure) {
        var depth = 1
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "<") { depth += 1 }
            if bytes[index] == UInt8(ascii: ">") { depth -= 1 }
            index += 1
            if depth == 0 { return }
        }
        throw Failure(message: "the document type has no end", offset: start)
    }

    private mutating func through(_ end: String, from start: Int) throws(Failure) -> String {
        let begin = index
        while index < bytes.count {
            if bytes[index...].starts(with: end.utf8) {
                defer { index += end.utf8.count }
                return String(decoding: bytes[begin..<index], as: UTF8.self)
            }
            index += 1
        }
        throw Failure(message: "there is no \(end)", offset: start)
    }

    private mutating func skipSpace() {
        while index < bytes.count, " \t\r\n".utf8.contains(bytes[index]) { index += 1 }
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }

    // MARK: Writing

    /// Whether XML 1.0 allows the scalar in a text.
    static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// The text with `&`, `<`, `>` and `"` as references.
    static func escaped(_ text: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): result += "&amp;".utf8
            case UInt8(ascii: "<"): result += "&lt;".utf8
            case UInt8(ascii: ">"): result += "&gt;".utf8
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
