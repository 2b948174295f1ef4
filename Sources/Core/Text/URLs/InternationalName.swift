/// International host names in ASCII (UTS #46, nontransitional, as browsers do), without tables.
///
/// The standard library's character properties decide most names. They don't contain the mappings and the composition of
/// UTS #46, so some names are refused that a library with the tables converts: names in full-width characters, with
/// combining marks, joiners or symbols, and in scripts that are written from right to left. Every name that is converted
/// has the same result with the tables.
package enum InternationalName {
    /// Returns a name in lowercase ASCII, or nil if it is invalid or can't be converted without tables.
    package static func ascii(_ name: String) -> String? {
        var labels: [String] = []
        for label in name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false) {
            guard let ascii = asciiLabel(label) else { return nil }
            labels.append(ascii)
        }
        return labels.joined(separator: ".")
    }

    private static func asciiLabel(_ label: Substring.UnicodeScalarView) -> String? {
        var scalars: [Unicode.Scalar] = []
        for scalar in label {
            guard scalar.value != capitalSharpS else { return nil }
            scalars += scalar.properties.lowercaseMapping.unicodeScalars
        }
        guard scalars.first != "-", scalars.last != "-", !scalars.dropFirst(2).starts(with: ["-", "-"]) else {
            return nil
        }
        if scalars.allSatisfy({ $0.isASCII }) {
            let bytes = scalars.map { UInt8(truncatingIfNeeded: $0.value) }
            return bytes.allSatisfy(PercentCoding.isUnreserved) ? String(decoding: bytes, as: UTF8.self) : nil
        }
        guard scalars.allSatisfy(isPlain) else { return nil }
        let result = "xn--" + punycode(scalars)
        return result.utf8.count <= 63 ? result : nil
    }

    /// Different versions of UTS #46 map it to `ss` or `ß`.
    private static let capitalSharpS: UInt32 = 0x1E9E

    /// Whether UTS #46 permits a scalar and never maps, composes or reorders it.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return PercentCoding.isUnreserved(UInt8(truncatingIfNeeded: scalar.value)) }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber: break
        // A mark can compose with the character before it, or be in another order than its combining class.
        default: return false
        }
        // Sharp s and final sigma stay as they are; only the transitional conversion maps them.
        let isDeviation = scalar == "ß" || scalar == "ς"
        guard isDeviation || !scalar.properties.changesWhenNFKCCaseFolded else { return false }
        guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        return !conjoiningJamo.contains(scalar.value) && !rightToLeft.contains { $0.contains(scalar.value) }
    }

    /// The parts of Hangul syllables, which compose.
    private static let conjoiningJamo: ClosedRange<UInt32> = 0x1100...0x11FF
    /// The blocks of scripts that are written from right to left, whose names have rules of their own (RFC 5893).
    private static let rightToLeft: [ClosedRange<UInt32>] = [
        0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
    ]

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
