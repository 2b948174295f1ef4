internal import AshlarCore

/// A part of a text that a message encloses in tags, such as `<b>` and `</b>`.
public struct MessageTag: Hashable, Sendable {
    /// The name, such as `"b"`.
    public let name: String
    /// The range in the text, which doesn't contain the tags.
    public let range: Range<String.Index>
}

/// Removes the tags from the literals of a message while it is rendered.
struct MessageTags {
    private typealias Tag = (name: String, start: Int, end: Int)

    /// The number of open tags above which further ones are text.
    private static let mostOpen = 64

    private var open: [Tag] = []
    private var closed: [Tag] = []

    /// Appends a literal without its tags.
    mutating func append(_ literal: String, to text: inout String) {
        var rest = Substring(literal).utf8
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            text += Substring(rest[..<start])
            rest = rest[start...]
            let length = take(rest, at: text.utf8.count) ?? 0
            if length == 0 { text += "<" }
            rest = rest.dropFirst(max(length, 1))
        }
        text += Substring(rest)
    }

    /// Reads a tag at the start of a text, and returns its length; nil if there is none.
    private mutating func take(_ text: Substring.UTF8View, at offset: Int) -> Int? {
        let isEnd = text.dropFirst().first == UInt8(ascii: "/")
        let name = text.dropFirst(isEnd ? 2 : 1).prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
        guard !name.isEmpty, open.count < Self.mostOpen || isEnd, name.endIndex < text.endIndex,
            text[name.endIndex] == UInt8(ascii: ">")
        else { return nil }
        let tag = String(Substring(name))
        if isEnd {
            guard let index = open.lastIndex(where: { $0.name == tag }) else { return nil }
            let start = open.remove(at: index).start
            closed.append((tag, start, offset))
        } else {
            open.append((tag, offset, offset))
        }
        return name.count + (isEnd ? 3 : 2)
    }

    /// Returns the tags of the whole text; one that isn't closed encloses the rest and is reported.
    mutating func finish(_ text: String, _ problems: inout [MessageProblem]) -> [MessageTag] {
        for tag in open.reversed() {
            problems.append(
                .init(.messageSyntax, placeholder: "<\(tag.name)>", offset: 0, "the tag is not closed"))
            closed.append((tag.name, tag.start, text.utf8.count))
        }
        return closed.map { tag in
            let start = text.utf8.index(text.startIndex, offsetBy: tag.start)
            return MessageTag(name: tag.name, range: start..<text.utf8.index(text.startIndex, offsetBy: tag.end))
        }
    }
}
