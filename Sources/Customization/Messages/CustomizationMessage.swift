internal import AshlarCore

/// A string with placeholders, which is parsed once and then formatted with values.
///
/// A message has one of three notations:
///
/// ```swift
/// let format = CustomizationMessage("%1$@ sent %2$lld files")
/// print(format.formatted("Zoë", 3).text)  // Zoë sent 3 files
///
/// let plural = CustomizationMessage(forms: [.one: "%lld file", .other: "%lld files"])
/// print(plural.formatted(1).text)  // 1 file
///
/// let named = CustomizationMessage(icu: "{name} sent {count, plural, one {# file} other {# files}}")
/// print(named.formatted(["name": "Zoë", "count": 1200]).text)  // Zoë sent 1,200 files
/// ```
///
/// Formatting never fails. A placeholder without a value isn't replaced, a value of another type is inserted in its
/// plain form, and the `problems` of the result contain both. A value without a placeholder isn't a problem,
/// because translations can omit placeholders. The first formatting parses the string.
public struct CustomizationMessage: Hashable, Sendable {
    /// The forms of one variable of a plural message.
    package struct Variable: Hashable, Sendable {
        /// The `printf` type of the number, such as `"d"`, `"lld"` or `".1f"`; a precision determines the displayed
        /// digits.
        package var valueType: String
        /// The form for each category.
        package var forms: [PluralCategory: String]

        /// Creates a variable from its forms.
        package init(valueType: String = "d", forms: [PluralCategory: String]) {
            self.valueType = valueType
            self.forms = forms
        }
    }

    /// The source of a message before it is parsed.
    package enum Source: Hashable, Sendable {
        /// A `printf` format.
        case format(String)
        /// An ICU message.
        case icu(String)
        /// A format with variables, from a `.stringsdict` or `.xcstrings` file.
        case plural(PluralText)
        /// Messages by device name.
        case devices([String: CustomizationMessage])
    }

    /// The source and the parsed message, which all copies share.
    private final class Storage: Hashable, Sendable {
        let source: Source
        private let compiled = Mutex<CompiledMessage?>(nil)

        init(_ source: Source) { self.source = source }

        var message: CompiledMessage {
            if let done = compiled.withLock({ $0 }) { return done }
            let new = CompiledMessage(source)
            return compiled.withLock { compiled in
                if let compiled { return compiled }
                compiled = new
                return new
            }
        }

        static func == (left: Storage, right: Storage) -> Bool { left === right || left.source == right.source }

        func hash(into hasher: inout Hasher) { hasher.combine(source) }
    }

    private let storage: Storage

    package init(_ source: Source) { storage = Storage(source) }

    /// Creates a message from a format such as `"%1$@ sent %2$lld files"`.
    ///
    /// The grammar is that of C's `printf` with Foundation's `%@`. Numbers have no locale: ASCII digits, `.` before
    /// decimals, no grouping. For safety, it differs from `printf`: integers are never truncated to the size in the
    /// format, `%n` is unknown, widths and precisions are numbers of characters, and `%f` also accepts integers.
    public init(_ format: String) { self.init(.format(format)) }

    /// Creates a message in the notation of ICU MessageFormat.
    ///
    /// Supports `{name}`, `{name, number}`, `{name, date}` and `{name, time}` with styles and skeletons, `select`, `plural`
    /// and `selectordinal` with exact cases (`=0`) and `offset:`, nested messages, `#`, and quoting with apostrophes.
    public init(icu text: String) { self.init(.icu(text)) }

    /// Creates a plural message from a format with variables, `%#@files@`, as in a `.stringsdict` file.
    ///
    /// Arguments are numbered in the order of the format's placeholders. The first placeholder without a position in a
    /// variable's form is the variable's own number. Further placeholders, and nested variables, use the arguments
    /// after it, which don't depend on the chosen category. The category `zero` also applies to exactly 0 in languages
    /// without it. A category without a form falls back to `other`.
    package init(format: String, variables: [String: Variable]) {
        self.init(.plural(PluralText(format: format, variables: variables)))
    }

    /// Creates a plural message that consists of one variable.
    public init(forms: [PluralCategory: String], valueType: String = "lld") {
        self.init(.plural(PluralText(forms: forms, valueType: valueType)))
    }

    package var source: Source { storage.source }

    package var compiled: CompiledMessage { storage.message }

    /// The problems of the message itself, independent of its arguments.
    public var problems: [MessageProblem] { compiled.problems }

    /// Returns the text for values in the order of the arguments.
    ///
    /// - Parameters:
    ///   - arguments: The values; in an ICU message, `{0}` refers to the first value.
    ///   - language: The language for plural forms and, in ICU messages, for numbers.
    /// - Returns: The text, complete even if there are problems, and the problems in the order of the text.
    /// - Complexity: O(*n*) in the length of the result.
    public func formatted(
        _ arguments: any FormatArgument..., language: LanguageConventions = "en"
    ) -> (text: String, problems: [MessageProblem]) {
        formatted(arguments.map(\.formatValue), language: language)
    }

    /// Returns the text for a list of values in the order of the arguments.
    public func formatted(
        _ values: [FormatValue], language: LanguageConventions = "en"
    ) -> (text: String, problems: [MessageProblem]) {
        let message = compiled
        return message.render(.list(values, positions: message.positions), language: language)
    }

    /// Returns the text for named values.
    ///
    /// - Parameters:
    ///   - arguments: The values by name: the name in braces, the name of a variable, or a position from 1.
    ///   - language: The language for plural forms and, in ICU messages, for numbers.
    /// - Returns: The text, complete even if there are problems, and the problems in the order of the text.
    /// - Complexity: O(*n*) in the length of the result.
    public func formatted(
        _ arguments: KeyValuePairs<String, any FormatArgument>, language: LanguageConventions = "en"
    ) -> (text: String, problems: [MessageProblem]) {
        let message = compiled
        return message.render(.pairs(arguments, names: message.names), language: language)
    }

    /// Returns the text for a dictionary of named values, as for a literal of names and values.
    package func formatted(
        named arguments: [String: any FormatArgument], language: LanguageConventions = "en"
    ) -> (text: String, problems: [MessageProblem]) {
        let message = compiled
        return message.render(.dictionary(arguments, names: message.names), language: language)
    }
}

extension CustomizationMessage {
    /// Returns the source for a device: a format, an ICU message or a plural message.
    package func source(devices: [String] = systemDevices) -> Source {
        guard case .devices(let choices) = source else { return source }
        let chosen = (devices + ["other"] + choices.keys.sorted()).lazy.compactMap { choices[$0] }.first
        return chosen?.source(devices: devices) ?? .format("")
    }

    /// The device names of this system, the best first; empty on Linux, which uses `other`.
    package static var systemDevices: [String] {
        #if targetEnvironment(macCatalyst)
            ["mac", "ipad"]
        #elseif os(macOS)
            ["mac"]
        #elseif os(watchOS)
            ["applewatch"]
        #elseif os(tvOS)
            ["appletv"]
        #elseif os(visionOS)
            ["applevision"]
        #elseif os(iOS)
            DeviceNames.running
        #else
            []
        #endif
    }
}

extension CustomizationMessage.Source {
    /// The text of a format; nil for the other notations.
    package var text: String? { if case .format(let text) = self { text } else { nil } }

    /// The format with its variables, of which a plain format has none; nil for the other notations.
    package var pluralText: PluralText? {
        switch self {
        case .plural(let text): text
        case .format(let format): PluralText(format: format, variables: [:])
        case .icu, .devices: nil
        }
    }
}

extension CustomizationMessage: CustomStringConvertible {
    /// The format, the ICU message, or the plural message with its forms.
    public var description: String {
        switch source() {
        case .format(let text), .icu(let text): return "\"\(text)\""
        case .plural(let text):
            let variables = text.variables.sorted { $0.key < $1.key }.map { name, variable in
                let forms = PluralCategory.allCases.compactMap { category in
                    variable.forms[category].map { "\(category): \"\($0)\"" }
                }
                return "\(name) {\(forms.joined(separator: ", "))}"
            }
            return (["\"\(text.format)\""] + variables).joined(separator: "; ")
        case .devices: return ""
        }
    }
}
