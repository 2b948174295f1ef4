import AshlarCore

/// A mutable copy of a text, in which permitted extensions and errors are overwritten with spaces.
///
/// The parser accepts only strict JSON. Violations are overwritten in place, and the text is parsed again, so the
/// offsets of all other parts remain the same.
struct JSONBuffer {
    let start: UnsafeMutablePointer<UInt8>
    private(set) var count: Int
    /// The number of bytes that can still be appended.
    private var room: Int

    var text: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

    init(
        _ bytes: UnsafeBufferPointer<UInt8>, _ options: JSONDocument.Options, room: Int = 0
    ) throws(JSONSyntaxError) {
        guard bytes.count <= options.bytes else {
            throw JSONSyntaxError(
                kind: .size, message: "a document of \(bytes.count) bytes exceeds the limit of \(options.bytes)",
                offset: options.bytes, line: 1, column: 1, path: "$", steps: [], limit: options.bytes)
        }
        count = bytes.count
        self.room = room
        start = .allocate(capacity: bytes.count + room + JSONParser.padding)
        if let source = bytes.baseAddress { start.update(from: source, count: bytes.count) }
        (start + bytes.count).update(repeating: 0, count: room + JSONParser.padding)
    }

    func deallocate() { start.deallocate() }

    /// Parses the text; if that fails, blanks the permitted extensions and parses it again.
    func parse(_ options: JSONDocument.Options) throws(JSONParser.Failure) -> UnsafeMutablePointer<JSONTape.Word> {
        do {
            return try JSONParser.parse(start, count: count, options: options)
        } catch {
            guard options.allowsComments || options.allowsTrailingCommas, blankExtensions(options) else { throw error }
            return try JSONParser.parse(start, count: count, options: options)
        }
    }

    private func blank(_ range: Range<Int>) {
        for index in range where start[index] != .lineFeed && start[index] != .carriageReturn { start[index] = .space }
    }

    private func isSpace(_ index: Int) -> Bool { start[index].isSpace }

    // MARK: Extensions

    /// Blanks permitted comments and trailing commas; returns whether there were any.
    private func blankExtensions(_ options: JSONDocument.Options) -> Bool {
        var (index, comma, found) = (0, -1, false)
        while index < count {
            switch start[index] {
            case .slash:
                guard options.allowsComments, let end = endOfComment(index) else { return found }
                blank(index..<end)
                (index, found) = (end, true)
                continue
            case .comma: comma = index
            case .closeBracket, .closeBrace:
                if comma > 0, options.allowsTrailingCommas, followsValue(comma) {
                    blank(comma..<(comma + 1))
                    found = true
                }
                comma = -1
            case .quote:
                index = endOfString(index)
                comma = -1
                continue
            default: if !isSpace(index) { comma = -1 }
            }
            index += 1
        }
        return found
    }

    /// Whether a comma follows a value, which isn't the case in `[,]` or `[1,,]`.
    private func followsValue(_ comma: Int) -> Bool {
        switch lastByte(before: comma).map({ start[$0] }) {
        case .openBracket, .openBrace, .comma, .colon, nil: false
        default: true
        }
    }

    /// Returns the position of the last byte before an offset that isn't whitespace.
    private func lastByte(before end: Int) -> Int? { (0..<end).last { !isSpace($0) } }

    /// Returns the position after a comment, or nil if there is no terminated comment.
    private func endOfComment(_ slash: Int) -> Int? {
        var index = slash + 2
        switch start[slash + 1] {
        case .slash:
            while index < count, start[index] != .lineFeed, start[index] != .carriageReturn { index += 1 }
            return index
        case .asterisk:
            while index + 1 < count {
                if start[index] == .asterisk, start[index + 1] == .slash { return index + 2 }
                index += 1
            }
            return nil
        default: return nil
        }
    }

    /// Returns the position after a string; an unterminated string ends at the end of its line.
    private func endOfString(_ quote: Int) -> Int {
        var index = quote + 1
        while index < count, start[index] != .lineFeed, start[index] != .carriageReturn {
            if start[index] == .quote { return index + 1 }
            if start[index] == .backslash, index + 1 < count, start[index + 1] != .lineFeed { index += 1 }
            index += 1
        }
        return min(index, count)
    }

    // MARK: Recovery

    /// Changes the text so that the next parse continues after a failure; returns false if that isn't possible.
    ///
    /// At the last permitted failure, the rest of the text is dropped.
    mutating func repair(_ failure: JSONParser.Failure, isLast: Bool) -> Bool {
        // A text with many comments has one problem, so all comments are skipped at the first one.
        if failure.offset < count, start[failure.offset] == .slash,
            blankExtensions(JSONDocument.Options(allowsComments: true))
        {
            return true
        }
        switch failure.reason {
        case .documentEnd: blank(failure.offset..<count)
        case _ where isLast || failure.offset >= count: return close(failure)
        case .trailingComma: blank(failure.offset..<(failure.offset + 1))
        case .memberEnd, .elementEnd:
            switch start[failure.offset] {
            case .closeBracket, .closeBrace:
                guard let bracket = failure.open.last else { return false }
                start[failure.offset] = closing(bracket)
            case _ where isSpace(failure.offset - 1) && canStart(failure):
                start[failure.offset - 1] = .comma
            default: blank(failure.offset..<max(end(from: failure.offset), failure.offset + 1))
            }
        default: drop(failure.start)
        }
        return true
    }

    private func closing(_ bracket: Int) -> UInt8 {
        start[bracket] == .openBrace ? .closeBrace : .closeBracket
    }

    /// Whether an element or member can start at a failure, which means that only a comma is missing.
    private func canStart(_ failure: JSONParser.Failure) -> Bool {
        if case .memberEnd = failure.reason { return start[failure.offset] == .quote }
        switch start[failure.offset] {
        case .quote, .openBrace, .openBracket, .minus, .digitZero ... .digitNine:
            return true
        default: return false
        }
    }

    /// Blanks the element or member that starts at an offset, and the comma after it (or before it, if it is the last).
    private func drop(_ first: Int) {
        let end = end(from: first)
        blank(first..<end)
        if end < count, start[end] == .comma {
            blank(end..<(end + 1))
        } else if end < count, start[end] != .quote {
            blankComma(before: first)
        }
    }

    private func blankComma(before end: Int) {
        if let index = lastByte(before: end), start[index] == .comma { blank(index..<(index + 1)) }
    }

    /// Returns the position of the comma or bracket that ends the element or member around an offset.
    ///
    /// A line that starts with a quote starts a member or element, unless the invalid one has an open bracket.
    private func end(from offset: Int) -> Int {
        var (index, nesting, isAtLineStart) = (offset, 0, false)
        while index < count {
            switch start[index] {
            case .openBrace, .openBracket: nesting += 1
            case .closeBrace, .closeBracket:
                if nesting == 0 { return index }
                nesting -= 1
            case .comma: if nesting == 0 { return index }
            case .quote:
                if isAtLineStart, nesting == 0 { return index }
                index = endOfString(index) - 1
            default: break
            }
            isAtLineStart = start[index] == .lineFeed || isAtLineStart && isSpace(index)
            index += 1
        }
        return count
    }

    /// Appends the missing closing brackets at the end of the text.
    private mutating func close(_ failure: JSONParser.Failure) -> Bool {
        guard !failure.open.isEmpty, failure.open.count <= room else { return false }
        if failure.start < count { blank(failure.start..<count) }
        blankComma(before: count)
        for bracket in failure.open.reversed() {
            start[count] = closing(bracket)
            count += 1
        }
        room = 0
        return true
    }
}
