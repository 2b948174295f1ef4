import AshlarCore
import AshlarCustomization
import AshlarTrees

/// The values that an export converts to typed resources; see ``AndroidResources``.
public enum AndroidTyping: Hashable, Sendable {
    /// Numbers and booleans of themes and property lists; strings aren't converted.
    case declared
    /// Also strings that are a color in their layer's dialect, such as `92,66,134,54`.
    case colors
    /// Also strings that are a boolean (`YES`), an integer or a decimal number.
    case all

    /// The value that a string is converted to.
    fileprivate func value(_ text: String, _ dialect: ColorDialect) -> CustomizationValue? {
        guard self != .declared else { return nil }
        if text.utf8.count <= 64, let color = dialect.color(text) { return .color(color) }
        guard self == .all else { return nil }
        if text == "YES" || text == "NO" { return .bool(text == "YES") }
        if let number = NumberReading.integer(text), Int32(exactly: number) != nil { return .int(number) }
        if let number = NumberReading.double(text), Float(number).isFinite { return .double(number) }
        return nil
    }
}

/// A resource: an element of a values file.
extension XMLTree.Element {
    /// The resource type; each type has its own names.
    var resourceType: String {
        name == "item" ? self["type"] ?? "" : name.hasSuffix("-array") ? "array" : name
    }

    // MARK: Writing

    private init(_ element: String, _ attributes: KeyValuePairs<String, String>, _ children: [Child]) {
        self.init(
            element, attributes: attributes.map { Attribute(name: $0.key, value: $0.value) }, children: children)
    }

    /// Creates the resource for a value; `nil` if Android has no such resource.
    ///
    /// - Parameters:
    ///   - value: The value of an entry.
    ///   - name: The name of the resource.
    ///   - typing: The strings that become typed resources.
    ///   - dialect: The color dialect of the value's layer.
    ///   - reference: Returns the resource that an alias refers to.
    init?(
        _ value: CustomizationValue, name: String, typing: AndroidTyping = .declared,
        dialect: ColorDialect = .ftCustomization,
        reference: (_ key: String) -> (type: String, text: String)? = AndroidReference.named
    ) {
        func simple(_ type: String, _ text: String) -> Self { Self(type, ["name": name], [.text(text)]) }
        func items(_ type: String, _ items: [Self]) -> Self {
            let lines = items.flatMap { [Child.text("\n        "), .element($0)] }
            return Self(type, ["name": name], lines + [.text("\n    ")])
        }
        func string(_ text: String) -> Self {
            let text = AndroidFormat.java(text)
            var element = simple("string", AndroidText.escaped(text))
            if AndroidFormat.isUnformatted(text) { element.set("formatted", to: "false") }
            return element
        }
        switch value {
        case .string(let text):
            if let typed = typing.value(text, dialect) {
                self.init(typed, name: name)
            } else {
                self = string(text)
            }
        case .int(let number):
            guard Int32(exactly: number) != nil else { return nil }
            self = simple("integer", "\(number)")
        case .double(let number):
            guard number.isFinite, Float(number).isFinite else { return nil }
            self.init("item", ["name": name, "type": "dimen", "format": "float"], [.text("\(number)")])
        case .bool(let flag): self = simple("bool", "\(flag)")
        case .color(let color):
            let bytes = color.bytes
            let digits = [bytes.alpha, bytes.red, bytes.green, bytes.blue].hexadecimal.uppercased()
            self = simple("color", "#" + digits)
        case .list(let values):
            let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
            guard texts.count == values.count else { return nil }
            self = items("string-array", texts.map { Self("item", [:], [.text(AndroidText.escaped($0))]) })
        case .message(let message):
            guard let text = message.source().pluralText else { return nil }
            if text.variables.isEmpty {
                self = string(text.format)
                return
            }
            guard let forms = text.androidForms else { return nil }
            let sorted = PluralCategory.allCases.compactMap { category in
                forms[category].map {
                    Self(
                        "item", ["quantity": category.rawValue], [.text(AndroidText.escaped(AndroidFormat.java($0)))])
                }
            }
            self = items("plurals", sorted)
        case .alias(let key):
            guard let found = reference(key) else { return nil }
            if found.type == "string" {
                self = simple("string", found.text)
            } else {
                self.init("item", ["name": name, "type": found.type], [.text(found.text)])
            }
        case .data, .dict: return nil
        }
    }

    /// Whether another resource has the same attributes and meaning; the spelling of texts can differ.
    func isSameResource(as other: Self) -> Bool {
        guard name == other.name, Set(attributes) == Set(other.attributes), elements.count == other.elements.count,
            zip(elements, other.elements).allSatisfy({ $0.isSameResource(as: $1) })
        else { return false }
        guard elements.isEmpty, name == "string" || name == "item" && self["type"] == nil else {
            return !elements.isEmpty || text.trimmingSpace() == other.text.trimmingSpace()
        }
        let isReference = [self, other].map { AndroidReference.parse($0.text) != nil }
        return isReference[0] == isReference[1] && AndroidMarkup.text(self) == AndroidMarkup.text(other)
    }

    // MARK: Reading

    /// Returns the value of a resource, and a message for each part that the value can't represent; `nil` if the resource
    /// is malformed or has no value for an import.
    ///
    /// - Parameter key: Returns the key of a resource name that a reference contains.
    /// - Returns: The value with the messages, or nil.
    func value(key: (String) -> String = { $0 }) -> (value: CustomizationValue, losses: [String])? {
        var losses: [String] = []
        func printf(_ element: Self) -> String {
            let (text, lost) = AndroidFormat.printf(AndroidMarkup.text(element))
            losses += lost.map { "placeholder \"\($0)\" is simplified" }
            return text
        }
        func alias(_ reference: String, _ type: String) -> CustomizationValue {
            let prefix = "@\(type)/"
            guard reference.hasPrefix(prefix) else {
                losses.append("reference \"\(reference)\" has no target in the strings")
                return .alias(reference)
            }
            return .alias(key(String(reference.dropFirst(prefix.count))))
        }
        let (type, plain) = (resourceType, text.trimmingSpace())
        let canRefer =
            ["string", "integer", "bool", "color", "dimen"].contains(type)
            || name == "item" && ["plurals", "array"].contains(type)
        if canRefer, !AndroidMarkup.hasMarkup(self), let reference = AndroidReference.parse(plain) {
            return (alias(reference, type), losses)
        }
        var value: CustomizationValue?
        switch type {
        case "string": value = .string(printf(self))
        case "integer": value = Self.integer(plain).map { .int($0) }
        case "bool": value = ["true": .bool(true), "false": .bool(false)][plain.lowercased()]
        case "color": value = ColorDialect.android.color(plain).map { .color($0) }
        case "dimen": value = Double(plain).map { .double($0) }
        case "plurals":
            var forms: [PluralCategory: String] = [:]
            for item in elements where item.name == "item" {
                guard let category = item["quantity"].flatMap({ PluralCategory(rawValue: $0.trimmingSpace()) }) else {
                    return nil
                }
                forms[category] = printf(item)
                if let reference = AndroidReference.parse(item.text) {
                    losses.append("reference \"\(reference)\" is read as text")
                }
            }
            value = .message(CustomizationMessage(forms: forms, valueType: "d"))
        case "array":
            let items = elements.filter { $0.name == "item" }
            let hasTexts = name == "string-array" && items.allSatisfy { AndroidReference.parse($0.text) == nil }
            value = .list(
                items.map { item in
                    let text = AndroidMarkup.text(item)
                    if hasTexts { return .string(text) }
                    if let reference = AndroidReference.parse(text) { return alias(reference, "string") }
                    return Self.integer(text.trimmingSpace()).map { .int($0) } ?? .string(text)
                })
            losses = []
        default: break
        }
        return value.map { ($0, losses) }
    }

    private static func integer(_ text: String) -> Int64? {
        guard text.lowercased().hasPrefix("0x") else { return Int32(text).map { Int64($0) } }
        return UInt32(text.dropFirst(2), radix: 16).map { Int64(Int32(bitPattern: $0)) }
    }
}

/// References of Android's resources, such as `@string/app_name` and `?attr/color`.
enum AndroidReference {
    private static let types: Set<Substring> = [
        "anim", "animator", "array", "attr", "bool", "color", "dimen", "drawable", "font", "fraction", "id", "integer",
        "interpolator", "layout", "menu", "mipmap", "navigation", "plurals", "raw", "string", "style", "styleable",
        "transition", "xml",
    ]

    /// Returns the reference of an alias in an imported layer: the alias itself, or the string with that name.
    static func named(_ key: String) -> (type: String, text: String) {
        ("string", parse(key) ?? "@string/" + (AndroidNames.isValid(key) ? key : AndroidNames.resource(key)))
    }

    /// Returns the text as a reference if aapt2 reads it as one; `nil` for other text.
    static func parse(_ raw: String) -> String? {
        let text = raw.trimmingSpace()
        guard let sign = text.utf8.first, "@?".utf8.contains(sign) else { return nil }
        if text == "@null" || text == "@empty" { return text }
        let body = text.dropFirst().drop { $0 == "+" || $0 == "*" }
        let name = body.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let entry = parts.last, !entry.isEmpty else { return nil }
        switch text.first {
        case "@": return parts.count == 2 && types.contains(parts[0]) ? text : nil
        case "?": return parts.count == 1 || parts[0] == "attr" || parts[0].isEmpty ? text : nil
        default: return nil
        }
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
