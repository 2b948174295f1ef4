/// Decides whether the value after the name of a secret in a text could be a secret.
///
/// It has at least six bytes and no white space, and isn't
///
/// - a word of a language (`nil`, `undefined`), of a state (`expired`, `falsch`), or an algorithm (`sha256`);
/// - a type (`String`, `AccessToken`), a path, a URL, a variable (`$TOKEN`), a placeholder (`****`), a parameter (`:password`),
///   a member (`self.token`), or another name of a secret (`db_password`);
/// - a version, an address in memory or in a network, a date, a duration, or a number of things (`tokens=128000`).
///
/// After a vague name, such as `session`, it also has a digit and isn't a word within a sentence.
struct SecretValue {
    static let shortest = 6

    private let bytes: ArraySlice<UInt8>
    private let count: Int
    private var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Creates a value, of which at most 256 bytes are examined.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes.prefix(256)
        count = bytes.count
    }

    /// Whether the value could be a secret.
    ///
    /// `isContinued` says that more words of a sentence follow. Letters alone can't be a secret in `token: identifier` and
    /// within a sentence, which `isWordPossible` says.
    func isPossible(
        _ name: SecretNames.Match, _ names: SecretNames, isContinued: Bool = false, isWordPossible: Bool = true
    ) -> Bool {
        guard count >= Self.shortest, !bytes.contains(where: { $0.isSpace }), !isOrdinaryWord else { return false }
        if isLetters && (!isWordPossible || isType) || name.isVague && (isContinued || !hasDigit) { return false }
        return !isQuantity && !(name.isPlural && bytes.allSatisfy({ $0.isDigit })) && !isReference(names)
    }

    var hasDigit: Bool { bytes.contains(where: { $0.isDigit }) }

    /// Whether the value has letters and digits, capitals amid small letters, or more letters than a word.
    var isRandom: Bool {
        var capitals = 0
        var last: UInt8 = 0
        for byte in bytes {
            if last.isLetter, !last.isCapital, byte.isCapital { capitals += 1 }
            last = byte
        }
        let hasLetter = bytes.contains(where: { $0.isLetter })
        let isMixed = hasDigit && hasLetter || capitals > 1 || bytes.last == UInt8(ascii: "=")
        return count >= Self.shortest && (isMixed || isLetters && count > 19) && !isOrdinaryWord
    }

    /// Whether the value is a word that a sentence or a language has in place of a secret.
    var isOrdinaryWord: Bool {
        let word = text.lowercased().trimming { !($0.isLetter || $0.isDigit || $0 >= 0x80) }
        if count < 24, Self.algorithms.contains(where: { word.hasPrefix($0) }) { return true }
        if isLetters, Self.stateEndings.contains(where: { word.hasSuffix($0) }) { return true }
        return word.isEmpty || Self.words.contains(word) || Self.states.contains(word)
    }

    private var isLetters: Bool { bytes.allSatisfy { $0.isLetter || $0 >= 0x80 || $0.isOne(of: "'?!") } }

    /// Whether the value is the name of a type: several words with capitals, of which the last one is usual for types.
    private var isType: Bool {
        let words = SecretNames.words(of: text)
        return bytes.first?.isCapital == true && words.count > 1 && Self.typeEndings.contains(words[words.count - 1])
    }

    /// Whether the value is a version, an address, a date or a duration.
    private var isQuantity: Bool {
        if bytes.starts(with: "0x".utf8) { return count <= 18 }
        let number = bytes.drop { $0 == UInt8(ascii: "v") }.prefix { $0.isDigit }
        let rest = bytes[number.endIndex...]
        let isDate = number.count == 4 && [0, 3].allSatisfy { rest.dropFirst($0).first == UInt8(ascii: "-") }
        let isDuration = 1...2 ~= rest.count && rest.allSatisfy({ $0.isLetter })
        let isVersion = !rest.isEmpty && rest.allSatisfy { $0.isDigit || $0.isOne(of: ".:") }
        return !number.isEmpty && (isDate || isDuration || isVersion)
    }

    /// Whether the value has at most two different characters, as `****` and `x-x-x` do.
    private var hasFewCharacters: Bool {
        let first = bytes[bytes.startIndex]
        let second = bytes.first { $0 != first }
        return bytes.allSatisfy { $0 == first || $0 == second }
    }

    /// Whether the value refers to a secret: a path, a URL, a variable, a placeholder, a pair, a member or a name.
    private func isReference(_ names: SecretNames) -> Bool {
        let first = bytes[bytes.startIndex]
        let second = bytes[bytes.startIndex + 1]
        if first.isOne(of: "/~.%@*&:-!"), second.isLetter || second.isOne(of: "/.*({-") { return true }
        if first == UInt8(ascii: "$") { return !second.isDigit && !bytes.dropFirst().contains(first) }
        let isURL = bytes.indices.contains { bytes[$0...].starts(with: "://".utf8) }
        if hasFewCharacters || second == UInt8(ascii: ":") || isURL { return true }
        // The name of a pair, as in `session: user=bob`.
        let pair = bytes.prefix { $0.isLetter }
        if bytes[pair.endIndex...].first == UInt8(ascii: "="), bytes[pair.endIndex...].count > 2 { return true }
        let words = SecretNames.words(of: text)
        let isPath = bytes.contains(UInt8(ascii: "/")) && text == text.lowercased()
        let isConstant = words.count > 1 && text == text.uppercased()
        let isMember = bytes.contains(UInt8(ascii: "."))
        return !hasDigit && (isPath || isConstant || isMember || 2...4 ~= words.count && names.match(words) != nil)
    }
}

extension UInt8 {
    fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}
