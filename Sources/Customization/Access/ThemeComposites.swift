// Values with several parts, as in DB5. Each part has its own key: the name of the value with a suffix. The parts can
// also be members of a dictionary with the name of the value, which are read as `name.part`. If no part exists, the key is
// reported in `problems`.

// The one public declaration of the core that this module exports: apps read fonts from the configuration, too.
@_exported public import struct AshlarCore.FontSpec

extension Customization {
    /// Returns the font with the name at the key and the size at the key with `Size`.
    ///
    /// A dictionary with `name` and `size` is also valid. Without a name, the font is the system font. A size that is
    /// missing or less than 1 is replaced by 15. If no part exists, the key is reported in ``problems``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The font.
    public func font(_ key: String, table: String? = nil) -> FontSpec {
        composite(key, table) { parts in
            let name: String? = parts.part("", "name")
            let size: Double = parts.part("Size", "size") ?? 0
            return FontSpec(name: name?.isEmpty == true ? nil : name, size: size < 1 ? 15 : size)
        }
    }

    /// Returns the insets at the key with `Top`, `Left`, `Bottom` and `Right`; missing parts are 0.
    public func insets(_ key: String, table: String? = nil) -> ThemeInsets {
        composite(key, table) {
            ThemeInsets(
                top: $0.number("Top"), left: $0.number("Left"), bottom: $0.number("Bottom"), right: $0.number("Right"))
        }
    }

    /// Returns the point at the key with `X` and `Y`; missing parts are 0.
    public func point(_ key: String, table: String? = nil) -> ThemePoint {
        composite(key, table) { ThemePoint(x: $0.number("X"), y: $0.number("Y")) }
    }

    /// Returns the size at the key with `Width` and `Height`; missing parts are 0.
    public func size(_ key: String, table: String? = nil) -> ThemeSize {
        composite(key, table) { ThemeSize(width: $0.number("Width"), height: $0.number("Height")) }
    }

    /// Returns the animation at the key with `Duration`, `Delay` and `Curve`.
    ///
    /// Missing times are 0, and a missing curve is ease-in-out. The curve is `easeInOut`, `easeIn`, `easeOut` or
    /// `linear`, in any case. If no part exists, the key is reported in ``problems``.
    ///
    /// - Parameters:
    ///   - key: The key without the suffixes.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The animation.
    public func animation(_ key: String, table: String? = nil) -> ThemeAnimation {
        composite(key, table) {
            ThemeAnimation(
                duration: $0.number("Duration"), delay: $0.number("Delay"),
                curve: $0.choice("Curve", "curve") ?? .easeInOut)
        }
    }

    /// Returns the case for a text: `uppercase` or `lowercase` in any case; otherwise the text isn't changed.
    public func textCase(_ key: String, table: String? = nil) -> ThemeTextCase {
        composite(key, table) { $0.choice("", "case") ?? .none }
    }

    /// Reads a value from its parts, and reports the key if none exists.
    private func composite<Value>(_ key: String, _ table: String?, _ read: (inout ThemeParts) -> Value) -> Value {
        var parts = ThemeParts(customization: self, key: key, table: table)
        let value = read(&parts)
        if !parts.isFound { report(CustomizationError(.missing, key: key, table: table).diagnostic) }
        return value
    }
}

/// Reads the parts of one value.
private struct ThemeParts {
    let customization: Customization
    let key: String
    let table: String?
    private(set) var isFound = false

    /// Returns the part under the key with a suffix, or in the key's dictionary; a malformed part is reported and
    /// skipped.
    mutating func part<Value: CustomizationReadable>(_ suffix: String, _ member: String) -> Value? {
        for name in [key + suffix, key + "." + member] {
            guard let entry = customization.entry(name, table: table) else { continue }
            if suffix.isEmpty, name == key, case .dict = entry.value { continue }
            isFound = true
            return customization[CustomizationKey<Value>(name, table: table)]
        }
        return nil
    }

    /// Returns the number under the key with a suffix, or 0 if it is missing.
    mutating func number(_ suffix: String) -> Double { part(suffix, suffix.lowercased()) ?? 0 }

    /// Returns one of a type's words, ignoring case.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ suffix: String, _ member: String) -> Choice?
    where Choice.RawValue == String {
        guard let word: String = part(suffix, member) else { return nil }
        if let choice = Choice.allCases.first(where: { $0.rawValue.lowercased() == word.lowercased() }) {
            return choice
        }
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        let name = customization.entry(key + suffix, table: table) != nil ? key + suffix : key + "." + member
        customization.report(
            CustomizationError(
                .malformed, key: name, table: table, expected: "one of " + words,
                found: .string(word), location: customization.entry(name, table: table)?.location
            ).diagnostic)
        return nil
    }
}

/// The distances of content from the edges around it, in points.
public struct ThemeInsets: Hashable, Sendable {
    /// The distance from the upper edge.
    public var top: Double
    /// The distance from the left edge.
    public var left: Double
    /// The distance from the lower edge.
    public var bottom: Double
    /// The distance from the right edge.
    public var right: Double

    package init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }
}

/// A position, in points.
public struct ThemePoint: Hashable, Sendable {
    /// The distance to the right of the origin.
    public var x: Double
    /// The distance below the origin.
    public var y: Double

    package init(x: Double = 0, y: Double = 0) { (self.x, self.y) = (x, y) }
}

/// An extent, in points.
public struct ThemeSize: Hashable, Sendable {
    /// The horizontal extent.
    public var width: Double
    /// The vertical extent.
    public var height: Double

    package init(width: Double = 0, height: Double = 0) { (self.width, self.height) = (width, height) }
}

/// The duration, delay and curve of an animation.
public struct ThemeAnimation: Hashable, Sendable {
    /// The timing curve of an animation.
    public enum Curve: String, Hashable, Sendable, CaseIterable {
        /// Slow at both ends.
        case easeInOut
        /// Slow at the start.
        case easeIn
        /// Slow at the end.
        case easeOut
        /// Constant speed.
        case linear
    }

    /// The duration, in seconds.
    public var duration: Double
    /// The delay before the start, in seconds.
    public var delay: Double
    /// The timing curve.
    public var curve: Curve

    package init(duration: Double = 0, delay: Double = 0, curve: Curve = .easeInOut) {
        self.duration = duration
        self.delay = delay
        self.curve = curve
    }
}

/// The case of a text in a theme.
public enum ThemeTextCase: String, Hashable, Sendable, CaseIterable {
    /// The text isn't changed.
    case none
    /// Uppercase.
    case uppercase
    /// Lowercase.
    case lowercase

    /// Returns the text in this case, without the rules of a locale.
    public func applied(to text: String) -> String {
        switch self {
        case .none: text
        case .uppercase: text.uppercased()
        case .lowercase: text.lowercased()
        }
    }
}
