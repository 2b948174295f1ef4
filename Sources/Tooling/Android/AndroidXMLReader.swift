/// Reads values files: elements, attributes, text, comments, CDATA, references and internal entities.
///
/// Entities can't contain markup, their expansion is limited, and no other file is read.
struct AndroidXMLReader {
    /// The result of reading a file.
    struct Document {
        /// The root element; for a malformed file, with the children before the failure.
        var root: AndroidXML?
        /// The comments before the root element.
        var comments: [String] = []
        var failure: AndroidXML.Failure?
    }

    /// The maximum depth; values files have three levels and a few levels of markup.
    private static let maximumDepth = 64
    /// The maximum number of bytes to which all entities of a file expand.
    private static let maximumExpansion = 1 << 20

    private let bytes: [UInt8]
    private var index = 0
    private var entities: [String: String] = [:]
    private var expansion = 0

    static func read(_ text: String) -> Document {
        var reader = AndroidXMLReader(bytes: Array(text.utf8))
        return reader.document()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func document() -> Document {
        var document = Document()
        // The open elements, outermost first.
        var stack: [AndroidXML] = []
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        do throws(AndroidXML.Failure) {
            while index < bytes.count { try readNext(&document, &stack) }
            if let open = stack.last { throw failure("element '\(open.name)' is not closed", open.offset) }
            if document.root == nil { throw failure("no root element", 0) }
        } catch {
            document.failure = error
            if document.root == nil { document.root = stack.first }
        }
        return document
    }

    private mutating func readNext(_ document: inout Document, _ stack: inout [AndroidXML]) throws(AndroidXML.Failure) {
        let start = index
        func add(_ child: AndroidXML.Child) {
            if !stack.isEmpty { stack[stack.count - 1].children.append(child) }
        }
        func close(_ element: AndroidXML) {
            if stack.isEmpty { document.root = element } else { add(.element(element)) }
        }
        if bytes[index] != UInt8(ascii: "<") {
            index = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            add(.text(try resolved(start..<index)))
        } else if take("<!--") {
            let comment = try through("-->", of: "comment", from: start)
            if stack.isEmpty { document.comments.append(comment) } else { add(.comment(comment, offset: start)) }
        } else if take("<![CDATA[") {
            add(.text(try through("]]>", of: "CDATA section", from: start)))
        } else if take("<?") {
            _ = try through("?>", of: "processing instruction", from: start)
        } else if take("<!") {
            try documentType(from: start)
        } else if take("</") {
            let name = try name()
            skipSpace()
            guard take(">"), stack.last?.name == name else { throw failure("unmatched end tag </\(name)>", start) }
            close(stack.removeLast())
        } else {
            index += 1
            let (element, isEmpty) = try openTag(from: start)
            guard document.root == nil else { throw failure("second root element", start) }
            if isEmpty { return close(element) }
            guard stack.count < Self.maximumDepth else {
                throw failure("elements are nested more than \(Self.maximumDepth) deep", start)
            }
            stack.append(element)
        }
    }

    private mutating func openTag(from start: Int) throws(AndroidXML.Failure) -> (AndroidXML, isEmpty: Bool) {
        var element = AndroidXML(name: try name(), offset: start)
        while true {
            skipSpace()
            if take("/>") { return (element, true) }
            if take(">") { return (element, false) }
            let attribute = try name()
            skipSpace()
            guard take("=") else { throw failure("expected '=' after attribute '\(attribute)'", index) }
            skipSpace()
            guard let quote = quote() else { throw failure("unquoted value of attribute '\(attribute)'", index) }
            guard let end = bytes[index...].firstIndex(of: quote) else {
                throw failure("unterminated value of attribute '\(attribute)'", index)
            }
            element.attributes.append(.init(name: attribute, value: try resolved(index..<end)))
            index = end + 1
        }
    }

    private mutating func name() throws(AndroidXML.Failure) -> String {
        let start = index
        while index < bytes.count, !" \t\r\n=/<>\"'&!?[;%".utf8.contains(bytes[index]) { index += 1 }
        guard index > start else { throw failure("expected a name", start) }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func quote() -> UInt8? {
        guard index < bytes.count, "\"'".utf8.contains(bytes[index]) else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    // MARK: References

    /// Returns the text of a range with its references resolved and its line ends normalized.
    private mutating func resolved(_ range: Range<Int>) throws(AndroidXML.Failure) -> String {
        let text = try expanded(bytes[range], from: range.lowerBound, depth: 0)
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func expanded(
        _ text: some Collection<UInt8>, from offset: Int, depth: Int
    ) throws(AndroidXML.Failure) -> [UInt8] {
        let text = Array(text)
        var (result, at): ([UInt8], Int) = ([], 0)
        func place(_ index: Int) -> Int { depth == 0 ? offset + index : offset }
        while at < text.count {
            switch text[at] {
            case UInt8(ascii: "\r"):
                result.append(UInt8(ascii: "\n"))
                at += at + 1 < text.count && text[at + 1] == UInt8(ascii: "\n") ? 2 : 1
            case UInt8(ascii: "&"):
                guard let end = text[at...].prefix(64).firstIndex(of: UInt8(ascii: ";")) else {
                    throw failure("'&' starts no reference; write '&amp;'", place(at))
                }
                let name = String(decoding: text[(at + 1)..<end], as: UTF8.self)
                if let character = Self.character(name) {
                    result += String(character).utf8
                } else if let value = entities[name] {
                    expansion += value.utf8.count
                    guard depth < 16, expansion <= Self.maximumExpansion else {
                        throw failure("entity '&\(name);' is too large", place(at))
                    }
                    guard !value.utf8.contains(UInt8(ascii: "<")) else {
                        throw failure("entity '&\(name);' contains markup, which is not supported", place(at))
                    }
                    result += try expanded(value.utf8, from: place(at), depth: depth + 1)
                } else {
                    throw failure("unknown entity '&\(name);'", place(at))
                }
                at = end + 1
            default:
                result.append(text[at])
                at += 1
            }
        }
        return result
    }

    private static func character(_ name: String) -> Character? {
        let names: [String: Character] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        if let known = names[name] { return known }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let value = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap(Unicode.Scalar.init).map { Character($0) }
    }

    // MARK: Document type

    /// Reads a document type with the entities of its internal subset.
    private mutating func documentType(from start: Int) throws(AndroidXML.Failure) {
        var depth = 1
        while index < bytes.count {
            if depth == 2, take("ENTITY") { try entity() }
            switch index < bytes.count ? bytes[index] : 0 {
            case UInt8(ascii: "<"):
                if take("<!--") {
                    _ = try through("-->", of: "comment", from: index)
                    continue
                }
                depth += 1
                if take("<!") { continue }
            case UInt8(ascii: ">"): depth -= 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let end = bytes[(index + 1)...].firstIndex(of: bytes[index]) ?? bytes.count
                index = min(end, bytes.count - 1)
            default: break
            }
            index += 1
            if depth == 0 { return }
        }
        throw failure("unterminated document type", start)
    }

    /// Reads `name "value"`; parameter and external entities are skipped.
    private mutating func entity() throws(AndroidXML.Failure) {
        skipSpace()
        guard index < bytes.count, bytes[index] != UInt8(ascii: "%") else { return }
        let name = try name()
        skipSpace()
        guard let quote = quote(), let end = bytes[index...].firstIndex(of: quote) else { return }
        // Character references are resolved in the declaration, other references where the entity is used.
        let value = String(decoding: bytes[index..<end], as: UTF8.self)
        if entities[name] == nil { entities[name] = value }
        index = end + 1
    }

    // MARK: Bytes

    private func failure(_ message: String, _ offset: Int) -> AndroidXML.Failure {
        AndroidXML.Failure(message: message, offset: offset)
    }

    private mutating func through(
        _ end: String, of kind: String, from start: Int
    ) throws(AndroidXML.Failure) -> String {
        let begin = index
        while index < bytes.count {
            if bytes[index...].starts(with: end.utf8) {
                defer { index += end.utf8.count }
                return String(decoding: bytes[begin..<index], as: UTF8.self)
            }
            index += 1
        }
        throw failure("unterminated \(kind)", start)
    }

    private mutating func skipSpace() {
        while index < bytes.count, " \t\r\n".utf8.contains(bytes[index]) { index += 1 }
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }
}
