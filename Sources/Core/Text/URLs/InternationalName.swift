/// International host names in ASCII (UTS #46, nontransitional, as browsers do), without tables.
///
/// The character properties and the string comparison of the standard library decide most names. They don't contain the
/// mapping of compatibility characters, so names with these are refused: `Ⅷ`, `①`, half-width katakana, and the letters
/// that join to a Hangul syllable. In names that are written from right to left, only the digits 0 to 9 are converted.
/// Every name that is converted has the same result with the tables.
package enum InternationalName {
    /// Returns a name in lowercase ASCII, or nil if it is invalid or can't be converted without tables.
    ///
    /// - Complexity: O(*n*) in the length of the name. The first name with combining marks takes some milliseconds more.
    package static func ascii(_ name: String) -> String? {
        let labels = mapped(name).split(separator: ".", omittingEmptySubsequences: false)
        let isBidirectional = labels.contains { $0.contains(where: isRightToLeft) }
        var result: [String] = []
        for label in labels {
            guard !isBidirectional || hasOneDirection(label), let ascii = asciiLabel(Array(label)) else { return nil }
            result.append(ascii)
        }
        return result == [""] ? nil : result.joined(separator: ".")
    }

    /// Returns a name in lowercase, with ASCII instead of full-width characters, and without ignored characters.
    private static func mapped(_ name: String) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        for scalar in name.unicodeScalars {
            switch scalar.value {
            // Soft hyphen, spaces without width, and variation selectors.
            case 0xAD, 0x200B, 0x2060, 0xFEFF, 0xFE00...0xFE0F: continue
            case 0x3002, 0xFF61: result.append(".")
            // Different versions of UTS #46 map the capital sharp s to `ss` or `ß`.
            case 0x1E9E: result.append(scalar)
            case 0xFF01...0xFF5E:
                result.append(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value - 0xFEE0).asciiLowercased))
            default: result += scalar.properties.lowercaseMapping.unicodeScalars
            }
        }
        return result
    }

    private static func asciiLabel(_ label: [Unicode.Scalar]) -> String? {
        if label.allSatisfy({ $0.isASCII }) {
            let bytes = label.map { UInt8(truncatingIfNeeded: $0.value) }
            guard bytes.first != UInt8(ascii: "-"), bytes.last != UInt8(ascii: "-"), bytes.count <= 63,
                bytes.allSatisfy(PercentCoding.isUnreserved)
            else { return nil }
            // A label that was converted before starts with `xn--`.
            guard bytes.starts(with: "xn--".utf8) || !bytes.dropFirst(2).starts(with: "--".utf8) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        // Longer labels exceed 63 bytes, even if pairs of characters compose.
        guard label.count <= 128 else { return nil }
        guard let scalars = composed(label), let first = scalars.first, !isMark(first), first != "-",
            scalars.last != "-"
        else { return nil }
        guard !scalars.dropFirst(2).starts(with: ["-", "-"]) else { return nil }
        for (index, scalar) in scalars.enumerated() where !isPlain(scalar) {
            // A joiner is permitted after a sign that joins (RFC 5892, appendix A).
            let isJoiner = scalar.value == 0x200C || scalar.value == 0x200D
            guard isJoiner, index > 0, scalars[index - 1].properties.canonicalCombiningClass == .virama else {
                return nil
            }
        }
        let result = "xn--" + punycode(scalars)
        return result.utf8.count <= 63 ? result : nil
    }

    /// Whether UTS #46 permits a scalar and never maps it.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return PercentCoding.isUnreserved(UInt8(truncatingIfNeeded: scalar.value)) }
        let isInRightToLeftBlock = rightToLeft.contains { $0.contains(scalar.value) }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark: break
        case .decimalNumber, .spacingMark: guard !isInRightToLeftBlock else { return false }
        // Descriptions of ideographs, and replacements for missing characters, are disallowed.
        case .otherSymbol:
            guard !isInRightToLeftBlock, !(0x2FF0...0x2FFF).contains(scalar.value),
                scalar.value < 0xFFF0 || scalar.value > 0xFFFF
            else { return false }
        default: return false
        }
        // Sharp s and final sigma stay as they are; only the transitional conversion maps them.
        let isDeviation = scalar == "ß" || scalar == "ς"
        guard isDeviation || !scalar.properties.changesWhenNFKCCaseFolded else { return false }
        return !scalar.properties.isDefaultIgnorableCodePoint && !conjoiningJamo.contains(scalar.value)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// The parts of Hangul syllables, which compose.
    private static let conjoiningJamo: ClosedRange<UInt32> = 0x1100...0x11FF

    // MARK: Direction

    /// The blocks of scripts that are written from right to left.
    private static let rightToLeft: [ClosedRange<UInt32>] = [
        0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
    ]

    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        !isMark(scalar) && rightToLeft.contains { $0.contains(scalar.value) }
    }

    /// Whether a label satisfies the rules for names that contain a script written from right to left (RFC 5893).
    private static func hasOneDirection(_ label: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = label.first, let last = label.last(where: { !isMark($0) }) else { return label.isEmpty }
        func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
        if isRightToLeft(first) {
            return (isRightToLeft(last) || isDigit(last))
                && label.allSatisfy {
                    isRightToLeft($0) || isDigit($0) || $0 == "-" || $0.properties.generalCategory == .nonspacingMark
                }
        }
        let letters: [Unicode.GeneralCategory] = [.lowercaseLetter, .otherLetter]
        return letters.contains(first.properties.generalCategory)
            && (letters.contains(last.properties.generalCategory) || isDigit(last))
            && !label.contains(where: isRightToLeft)
    }

    // MARK: Composition

    /// The letters that consist of a letter and a mark.
    ///
    /// Equal strings have the same composed form, so the two scalars are the key of the letter.
    private static let compositions: [String: Unicode.Scalar] = {
        var result: [String: Unicode.Scalar] = [:]
        let letters: ClosedRange<UInt32> = 0xC0...0x30FF
        for scalar in letters.lazy.compactMap({ Unicode.Scalar($0) }) where isPlain(scalar) {
            result[String(scalar)] = scalar
        }
        return result
    }()

    /// Returns the normal form of a label in which letters and marks are composed (NFC).
    ///
    /// Returns nil for a mark after a letter that can have a mark itself, unless both are one letter: their order isn't
    /// known.
    private static func composed(_ label: [Unicode.Scalar]) -> [Unicode.Scalar]? {
        guard label.contains(where: isMark) else { return label }
        var result: [Unicode.Scalar] = []
        /// The position of the last scalar that marks can join.
        var base: Int?
        var isComposedBase = false
        var lastClass: UInt8 = 0
        for scalar in inCanonicalOrder(label) {
            let combiningClass = scalar.properties.canonicalCombiningClass.rawValue
            if let base, base == result.count - 1 || 0 < lastClass && lastClass < combiningClass,
                let letter = compositions[String(result[base]) + String(scalar)]
            {
                result[base] = letter
                continue
            }
            if combiningClass == 0 {
                base = result.count
                isComposedBase = composedLetters.contains { $0.contains(scalar.value) }
            } else if isComposedBase {
                return nil
            }
            lastClass = combiningClass
            result.append(scalar)
        }
        return result
    }

    /// The blocks of Latin, Greek and Cyrillic letters that can contain marks.
    private static let composedLetters: [ClosedRange<UInt32>] = [0xC0...0x52F, 0x1E00...0x1FFF]

    /// Returns the scalars with the marks of each letter in the order of their classes.
    private static func inCanonicalOrder(_ label: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        for scalar in label {
            let combiningClass = scalar.properties.canonicalCombiningClass
            var position = result.count
            if combiningClass != .notReordered {
                while position > 0, result[position - 1].properties.canonicalCombiningClass > combiningClass {
                    position -= 1
                }
            }
            result.insert(scalar, at: position)
        }
        return result
    }

    // MARK: Punycode

    /// Encodes the scalars of a label (RFC 3492, section 6.3).
    private static func punycode(_ label: [Unicode.Scalar]) -> String {
        var result = label.filter { $0.isASCII }.map { UInt8(truncatingIfNeeded: $0.value) }
        let basicCount = result.count
        if basicCount > 0 { result.append(UInt8(ascii: "-")) }
        var (next, delta, bias): (UInt32, Int, Int) = (0x80, 0, 72)
        var handled = basicCount
        while handled < label.count {
            let least = label.lazy.map { $0.value }.filter { $0 >= next }.min() ?? next
            delta += Int(least - next) * (handled + 1)
            next = least
            for scalar in label {
                if scalar.value < next { delta += 1 }
                guard scalar.value == next else { continue }
                var (rest, base) = (delta, 36)
                while true {
                    let threshold = min(max(base - bias, 1), 26)
                    if rest < threshold { break }
                    result.append(digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    base += 36
                }
                result.append(digit(rest))
                bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value) + (value < 26 ? UInt8(ascii: "a") : UInt8(ascii: "0") - 26)
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > 455 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
