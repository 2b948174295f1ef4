// Values with several parts, as in DB5. Each part has its own key: the name of the value with a suffix. The parts can
// also be members of a dictionary with the name of the value, which are read as `name.part`.

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
        var parts = ThemeParts(self, key, table)
        let name = parts.text("", "name")
        let size = parts.number("Size", "size") ?? 0
        parts.finish()
        return FontSpec(name: name?.isEmpty == true ? nil : name, size: size < 1 ? 15 : size)
    }

    /// Returns the insets at the key with `Top`, `Left`, `Bottom` and `Right`; missing parts are 0.
    ///
    /// If no part exists, the key is reported in ``problems``.
    ///
    /// - Parameters:
    ///   - key: The key without the suffixes.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The insets.
    public func insets(_ key: String, table: String? = nil) -> ThemeInsets {
        var parts = ThemeParts(self, key, table)
        let insets = ThemeInsets(
            top: parts.number("Top", "top") ?? 0, left: parts.number("Left", "left") ?? 0,
            bottom: parts.number("Bottom", "bottom") ?? 0, right: parts.number("Right", "right") ?? 0)
        parts.finish()
        return insets
    }

    /// Returns the point at the key with `X` and `Y`; missing parts are 0.
    ///
    /// If no part exists, the key is reported in ``problems``.
    ///
    /// - Parameters:
    ///   - key: The key without the suffixes.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The point.
    public func point(_ key: String, table: String? = nil) -> ThemePoint {
        var parts = ThemeParts(self, key, table)
        let point = ThemePoint(x: parts.number("X", "x") ?? 0, y: parts.number("Y", "y") ?? 0)
        parts.finish()
        return point
    }

    /// Returns the size at the key with `Width` and `Height`; missing parts are 0.
    ///
    /// If no part exists, the key is reported in ``problems``.
    ///
    /// - Parameters:
    ///   - key: The key without the suffixes.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The size.
    public func size(_ key: String, table: String? = nil) -> ThemeSize {
        var parts = ThemeParts(self, key, table)
        let size = ThemeSize(
            width: parts.number("Width", "width") ?? 0, height: parts.number("Height", "height") ?? 0)
        parts.finish()
        return size
    }

    /// Returns the animation at the key with `Duration`, `Delay` and `Curve`.
    ///
    /// Missing times are 0, and a missing curve is ease-in-out.
    ///
    /// The curve is `easeInOut`, `easeIn`, `easeOut` or `linear`, in any case. If no part exists, the key is
    /// reported in ``problems``.
    ///
    /// - Parameters:
    ///   - key: The key without the suffixes.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The animation.
    public func animation(_ key: String, table: String? = nil) -> ThemeAnimation {
        var parts = ThemeParts(self, key, table)
        let animation = ThemeAnimation(
            duration: parts.number("Duration", "duration") ?? 0, delay: parts.number("Delay", "delay") ?? 0,
            curve: parts.choice("Curve", "curve") ?? .easeInOut)
        parts.finish()
        return animation
    }

    /// Returns the case for a text: `uppercase` or `lowercase` in any case; otherwise the text isn't changed.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The case.
    public func textCase(_ key: String, table: String? = nil) -> ThemeTextCase {
        var parts = ThemeParts(self, key, table)
        let textCase: ThemeTextCase? = parts.choice("", "case")
        parts.finish()
        return textCase ?? .none
    }
}

/// Reads the parts of one value, and reports the key if none exists.
private struct ThemeParts {
    private let customization: Customization
    private let key: String
    private let table: String?
    private var isFound = false

    init(_ customization: Customization, _ key: String, _ table: String?) {
        (self.customization, self.key, self.table) = (customization, key, table)
    }

    /// Returns the part under the key with a suffix, or in the key's dictionary; a malformed part is reported and
    /// skipped.
    private mutating func part<Value: CustomizationReadable>(_ suffix: String, _ member: String) -> Value? {
        for name in [key + suffix, key + "." + member] {
            guard let entry = customization.entry(name, table: table) else { continue }
            if suffix.isEmpty, name == key, case .dict = entry.value { continue }
            isFound = true
            return customization[CustomizationKey<Value>(name, table: table)]
        }
        return nil
    }

    mutating func number(_ suffix: String, _ member: String) -> Double? { part(suffix, member) }
    mutating func text(_ suffix: String, _ member: String) -> String? { part(suffix, member) }

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
                .malformed, key: name, table: table ?? CustomizationLayer.defaultTable, expected: "one of " + words,
                found: .string(word), location: customization.entry(name, table: table)?.location
            ).diagnostic)
        return nil
    }

    func finish() {
        if isFound { return }
        customization.report(
            CustomizationError(.missing, key: key, table: table ?? CustomizationLayer.defaultTable).diagnostic)
    }
}
