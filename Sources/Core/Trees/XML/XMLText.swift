/// A violation of the rules of XML, or of a format in XML.
package struct XMLError: Error, Hashable, Sendable {
    package enum Kind: Sendable {
        case malformed
        /// The document ends within an element or a tag.
        case unexpectedEnd
        case tooDeep
        case tooLarge
    }

    package var kind: Kind
    /// The byte offset of the problem.
    package var offset: Int
    /// The problem, unless `expected` and `found` state it.
    package var reason: String?
    package var expected: String?
    /// The text found, which can contain a part of a secret value.
    package var found: String?

    package init(
        kind: Kind = .malformed, offset: Int, reason: String? = nil, expected: String? = nil, found: String? = nil
    ) {
        self.kind = kind
        self.offset = offset
        self.reason = reason
        self.expected = expected
        self.found = found
    }

    /// The message without its position.
    package var message: String {
        reason ?? "expected \(expected ?? "more text")" + (found.map { ", found \($0)" } ?? "")
    }
}

/// The text of XML documents (XML 1.0).
package enum XMLText {
    /// Whether a document can contain a scalar (section 2.2).
    package static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
