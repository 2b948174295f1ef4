import AshlarCore

/// One step from the root of a document to a value.
package enum TreeStep: Sendable, Hashable {
    case key(String)
    case index(Int)
}

/// The reason and position of a failure to parse JSON text.
package struct JSONSyntaxError: Error, Hashable, Sendable {
    /// The rule that the text violates.
    package enum Kind: Hashable, Sendable {
        case syntax, depth, size, duplicateKey
    }

    package var kind: Kind
    /// The reason, such as "expected a value, found ']'".
    package var message: String
    /// The byte offset in the text, from 0.
    package var offset: Int
    /// The line, from 1; lines end with LF, CR LF or CR.
    package var line: Int
    /// The column in bytes, from 1.
    package var column: Int
    /// The path of the innermost value that was being parsed, such as `$.users[3].name`.
    package var path: String
    /// The steps of the path.
    package var steps: [TreeStep]
    /// The limit that the text exceeds, for the kinds `depth` and `size`.
    package var limit: Int?
}

extension JSONParser {
    /// A failure as the parser detects it, without a message.
    struct Failure: Error {
        enum Reason {
            case value, key, keyOrEnd, colon, memberEnd, elementEnd, documentEnd, trailingComma
            case stringEnd, controlCharacter, utf8, escape, hex, surrogate, digit, leadingZero, depth
            /// A key that equals the key at the offset.
            case duplicateKey(first: Int)
        }

        var reason: Reason
        var offset: Int
        /// The offset of the bracket of the innermost open container.
        var container: Int?
        var steps: [TreeStep]

        private static let longestPath = 256

        /// Builds the error with its position and message.
        func error(in text: UnsafeBufferPointer<UInt8>, _ options: JSONDocument.Options) -> JSONSyntaxError {
            let (line, column) = LineTable(Array(text)).position(of: offset)
            let kind: JSONSyntaxError.Kind =
                switch reason {
                case .depth: .depth
                case .duplicateKey: .duplicateKey
                default: .syntax
                }
            let path = steps.reduce("$") { path, step in
                switch step {
                case .key(let key): path + JSONText.pathStep(key)
                case .index(let index): path + "[\(index)]"
                }
            }
            return JSONSyntaxError(
                kind: kind, message: message(in: text, options), offset: offset, line: line, column: column,
                path: path.utf8.count > Self.longestPath ? "\(path.prefix(Self.longestPath))…" : path,
                steps: steps,
                limit: kind == .depth ? options.depth : nil)
        }

        private func message(in text: UnsafeBufferPointer<UInt8>, _ options: JSONDocument.Options) -> String {
            let found = found(at: offset, in: text)
            return switch reason {
            case _ where offset <= 1 && Self.looksLikeUTF16(text):
                "expected UTF-8, found text that looks like UTF-16 or UTF-32"
            case .value: "expected a value, found \(found)"
            case .key: "expected a quoted key, found \(found)"
            case .keyOrEnd: "expected a quoted key or '}', found \(found)"
            case .colon: "expected ':' after the key, found \(found)"
            case .memberEnd: "expected ',' or '}' after the value, found \(found)"
            case .elementEnd: "expected ',' or ']' after the value, found \(found)"
            case .documentEnd: "expected the end of the document, found \(found)"
            case .trailingComma: "trailing comma"
            case .stringEnd: "unterminated string"
            case .controlCharacter: "unescaped control character \(Self.hex(text[offset])) in a string"
            case .utf8: "invalid UTF-8 byte \(Self.hex(text[offset]))"
            case .escape: "invalid escape: a backslash before \(self.found(at: offset + 1, in: text))"
            case .hex: "expected four hexadecimal digits after \\u"
            case .surrogate: "unpaired surrogate in a \\u escape"
            case .digit: "expected a digit, found \(found)"
            case .leadingZero: "leading zero in a number"
            case .depth: "nested more than \(options.depth) levels deep"
            case .duplicateKey(let first):
                "duplicate key, first defined at line \(LineTable(Array(text)).position(of: first).line)"
            }
        }

        private func found(at offset: Int, in text: UnsafeBufferPointer<UInt8>) -> String {
            guard offset < text.count else {
                guard let bracket = container else { return "the end of the text" }
                let kind = text[bracket] == .openBrace ? "object" : "array"
                return "the end of the text in the \(kind) of line \(LineTable(Array(text)).position(of: bracket).line)"
            }
            let byte = text[offset]
            if byte > .space, byte < 0x7F { return "'\(Unicode.Scalar(byte))'" }
            if byte >= 0xC2 {
                let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
                let end = min(offset + length, text.count)
                let bytes = UnsafeBufferPointer(rebasing: text[offset..<end])
                if UTF8Validation.firstInvalid(in: bytes) == nil {
                    return "'\(String(decoding: bytes, as: UTF8.self))'"
                }
            }
            return "the byte \(Self.hex(byte))"
        }

        private static func hex(_ byte: UInt8) -> String { "0x" + byte.digits(2, radix: 16, uppercase: true) }

        private static func looksLikeUTF16(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
            guard text.count >= 4, text.count % 2 == 0 else { return false }
            return text[0] == 0 || text[1] == 0 || text[0] >= 0xFE && text[1] >= 0xFE
        }
    }
}

// Where a parse stopped.
extension JSONParser {
    /// The position on the tape of the open container at a level.
    func position(at level: Int) -> Int { Int(truncatingIfNeeded: stack[level] & 0xFFFF_FFFF) }

    /// The offset of the bracket of the innermost open container.
    var innermostContainer: Int? { depth == 0 ? nil : JSONTape.offset(tape[position(at: depth)]) }

    /// The steps to the value at which the parse stopped.
    var steps: [TreeStep] {
        guard depth > 0 else { return [] }
        return (1...depth).compactMap { level in
            if JSONTape.kind(tape[position(at: level)]) == JSONTape.array {
                return .index(level == depth ? elements : Int(truncatingIfNeeded: stack[level] >> 32))
            }
            let end = level == depth ? written : position(at: level + 1)
            return lastKey(of: position(at: level), upTo: end).map { .key(key(at: $0)) }
        }
    }

    private func lastKey(of object: Int, upTo end: Int) -> Int? {
        var index = object + 1
        var last: Int?
        while index < end {
            last = index
            guard index + 1 < end else { break }
            index += 1 + JSONTape.span(tape[index + 1])
        }
        return last
    }

    func key(at index: Int) -> String {
        let word = tape[index]
        return JSONText.unescaped(
            UnsafeBufferPointer(start: text + JSONTape.offset(word), count: JSONTape.length(word)))
    }
}
