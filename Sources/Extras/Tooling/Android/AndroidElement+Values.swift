import AshlarCustomization

/// The values that an export converts to typed resources; see ``AndroidResources``.
public enum AndroidTyping: Hashable, Sendable {
    /// Numbers and booleans of themes and property lists; strings aren't converted.
    case declared
    /// Also strings that are a color in their layer's dialect, such as `92,66,134,54`.
    case colors
    /// Also strings that are a boolean (`YES`), an integer or a decimal number.
    case all
}

extension AndroidElement {
    /// Creates the resource for a value; `nil` if Android has no such resource.
    ///
    /// - Parameters:
    ///   - value: The value of an entry.
    ///   - typing: The strings that become typed resources.
    ///   - dialect: The color dialect of the value's layer.
    ///   - reference: Returns the resource that an alias refers to.
    init?(
        _ value: CustomizationValue, typing: AndroidTyping, dialect: ColorDialect,
        reference: (_ key: String) -> (type: String, text: String)? = { _ in nil }
    ) {
        switch value {
        case .string(let text):
            self = Self.typed(text, typing, dialect) ?? .string(AndroidFormat.java(text).droppingNUL)
        case .int(let number):
            guard let number = Int32(exactly: number) else { return nil }
            self = .integer(number)
        case .double(let number):
            guard number.isFinite, Float(number).isFinite else { return nil }
            self = .float(number)
        case .bool(let value): self = .bool(value)
        case .color(let color): self = .color(Self.bits(color))
        case .list(let values):
            var texts: [String] = []
            for value in values {
                guard case .string(let text) = value else { return nil }
                texts.append(text.droppingNUL)
            }
            self = .array(texts)
        case .message(let message):
            guard let text = message.source().pluralText else { return nil }
            if text.variables.isEmpty {
                self = .string(AndroidFormat.java(text.format).droppingNUL)
                return
            }
            guard let forms = text.androidForms else { return nil }
            self = .plurals(forms.mapValues { AndroidFormat.java($0).droppingNUL })
        case .alias(let key):
            guard let found = reference(key) else { return nil }
            self = .reference(type: found.type, found.text)
        case .data, .dict: return nil
        }
    }

    private static func typed(_ text: String, _ typing: AndroidTyping, _ dialect: ColorDialect) -> AndroidElement? {
        guard typing != .declared else { return nil }
        if text.utf8.count <= 64, let color = dialect.color(text) { return .color(bits(color)) }
        guard typing == .all else { return nil }
        if text == "YES" || text == "NO" { return .bool(text == "YES") }
        if let number = NumberReading.integer(text).flatMap({ Int32(exactly: $0) }) { return .integer(number) }
        if let number = NumberReading.double(text), number.isFinite, Float(number).isFinite {
            return .float(number)
        }
        return nil
    }

    private static func bits(_ color: RGBAColor) -> UInt32 {
        let bytes = color.bytes
        return UInt32(bytes.alpha) << 24 | UInt32(bytes.red) << 16 | UInt32(bytes.green) << 8 | UInt32(bytes.blue)
    }
}

extension PluralText {
    /// The whole text for each category of the message's only variable; `nil` unless it has exactly one variable.
    ///
    /// Each form contains the text around the variable, and all its placeholders have positions.
    var androidForms: [PluralCategory: String]? {
        let names = Set(PrintfFormat(format).placeholders.compactMap(\.variable))
        guard names.count == 1, let name = names.first, let variable = variables[name],
            variable.forms.values.allSatisfy({ form in
                PrintfFormat(form).placeholders.allSatisfy { $0.variable == nil }
            })
        else { return nil }
        if format == "%#@\(name)@" { return variable.forms }
        let numbering = PluralNumbering(self)
        return variable.forms.mapValues { androidText(format, form: $0, own: nil, next: 1, numbering) }
    }

    /// Returns the text with a form instead of the variable, and with the positions that formatting uses.
    private func androidText(
        _ text: String, form: String, own: Int?, next: Int, _ numbering: PluralNumbering
    ) -> String {
        numbering.segments(of: PrintfFormat(text), own: own, next: next).reduce(into: "") { result, part in
            switch part.segment {
            case .literal(let literal): result += literal.doublingPercents
            case .placeholder(let placeholder):
                guard let name = placeholder.variable else {
                    result += placeholder.text(at: part.position)
                    return
                }
                guard let numbers = numbering.variables[name] else { return }
                result += androidText(form, form: "", own: part.position, next: numbers.next, numbering)
            }
        }
    }
}

extension String {
    /// The string without U+0000, which Android's strings can't contain.
    fileprivate var droppingNUL: String {
        utf8.contains(0) ? String(String.UnicodeScalarView(unicodeScalars.filter { $0 != "\0" })) : self
    }
}

extension ColorDialect {
    private static let androidNames: [ColorDialect: String] = [
        .components(alpha: .byte): "components-byte", .components(alpha: .percent): "components-percent",
        .components(alpha: .fraction): "components-fraction", .squidKit: "squidkit",
        .squidKitLenient: "squidkit-lenient", .db5: "db5", .css: "css", .android: "android", .dtcg: "dtcg",
    ]

    /// The name of the dialect in an export.
    var androidName: String { Self.androidNames[self] ?? "components-byte" }

    init?(androidName: String) {
        guard let dialect = Self.androidNames.first(where: { $0.value == androidName })?.key else { return nil }
        self = dialect
    }
}
