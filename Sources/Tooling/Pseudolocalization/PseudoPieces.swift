internal import AshlarCore
import AshlarCustomization

/// Divides a string into the parts that pseudolocalization changes and the parts that it preserves.
struct PseudoPieces {
    struct Piece {
        let text: Substring
        let isText: Bool
    }

    private(set) var pieces: [Piece] = []

    init(_ text: String) {
        let kept = Self.keptRanges(in: text)
        var index = text.startIndex
        for range in kept where range.lowerBound >= index {
            if index < range.lowerBound { pieces.append(Piece(text: text[index..<range.lowerBound], isText: true)) }
            pieces.append(Piece(text: text[range], isText: false))
            index = range.upperBound
        }
        if index < text.endIndex { pieces.append(Piece(text: text[index...], isText: true)) }
    }

    /// Returns placeholders, `%%`, `%arg`, tags such as `<b>`, and references such as `&amp;`, in order.
    private static func keptRanges(in text: String) -> [Range<String.Index>] {
        let utf8 = text.utf8
        let placeholders = Dictionary(
            PrintfFormat(text).placeholders.map { ($0.offset, $0.text.utf8.count) },
            uniquingKeysWith: { first, _ in first })
        var ranges: [Range<String.Index>] = []
        var index = utf8.startIndex
        var offset = 0
        while index < utf8.endIndex {
            var length = 0
            switch Unicode.Scalar(utf8[index]) {
            case "%":
                if utf8[index...].starts(with: "%%".utf8) {
                    length = 2
                } else if utf8[index...].starts(with: "%arg".utf8) {
                    length = 4
                } else {
                    length = placeholders[offset] ?? 0
                }
            case "<":
                let inside = utf8[index...].dropFirst()
                if let first = inside.first, first == UInt8(ascii: "/") || first.isLetter,
                    let end = inside.prefix(200).firstIndex(of: UInt8(ascii: ">"))
                {
                    length = utf8.distance(from: index, to: end) + 1
                }
            case "&":
                let name = utf8[index...].dropFirst().prefix(12).prefix { $0.isLetter || $0.isDigit || $0 == 0x23 }
                if !name.isEmpty, name.endIndex < utf8.endIndex, utf8[name.endIndex] == UInt8(ascii: ";") {
                    length = name.count + 2
                }
            default: break
            }
            let end = utf8.index(index, offsetBy: max(length, 1))
            if length > 0 { ranges.append(index..<end) }
            offset += max(length, 1)
            index = end
        }
        return ranges
    }
}
