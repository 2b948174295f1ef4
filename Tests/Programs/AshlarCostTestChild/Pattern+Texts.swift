import AshlarCore
import AshlarCustomization

extension Pattern {
    /// Files of texts, messages and themes.
    static let texts: [Pattern] = [
        strings("strings: entries in one line", #""k#" = "v";"#),
        strings("strings: one key again and again", #""k" = "v";"#),
        strings("strings: entries without values", #""k#" = "#),
        strings("strings: comments that don't end", "/* "),
        strings("strings: quotes", "\""),
        strings("strings: containers that don't end", "{ a = ("),
        Pattern("stringsdict: messages in one line", 12) { size in
            let message = """
                <key>k#</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@a@ %#@b@</string><key>a</key><dict><key>\
                NSStringFormatSpecTypeKey</key><string>x</string><key>one</key><string>1</string></dict></dict>
                """.split(separator: "\n").joined()
            let text = "<plist><dict>" + repeated(message, size).replacing("%0@", with: "%#@") + "</dict></plist>"
            return { _ = StringsTable.parse(stringsDict: text.bytes).diagnostics }
        },
        Pattern("stringsdict: values that aren't messages", 60) { size in
            let text = "<plist><dict>" + repeated("<key>k#</key><array/>", size) + "</dict></plist>"
            return { _ = StringsTable.parse(stringsDict: text.bytes).diagnostics }
        },
        Pattern("string catalog: keys in one line", 12) { size in
            let unit = #""k#": {"localizations": {"fr": {"stringUnit": {"state": "x", "value": "v %d"}}}}"#
            let text = #"{"sourceLanguage": "en", "strings": {"# + repeated(unit, size, separator: ",") + "}}"
            return { _ = StringsTable.parse(stringCatalog: text.bytes) }
        },
        theme("theme: values", #""k#": "1""#),
        theme("theme: one key again and again", #""k": "1""#),
        theme("theme: a chain of aliases", ##""k#": "@k#0""##),
        theme("theme: colors with opacities", ##""k#": "f00", "k#Alpha": 0.5"##),
        Pattern("theme: themes that extend the next one", 20) { size in
            let themes = (0..<size).map {
                ##"{"name": "t\##($0)", "extends": "t\##($0 + 1)", "attributes": {"a": "1"}}"##
            }
            let text = #"{"themes": ["# + themes.joined(separator: ",") + "]}"
            return {
                let parsed = Theme.parse(text.bytes)
                _ = Customization(layers: []).with(themes: parsed.themes, theme: "t0").problems
            }
        },
        theme("theme: colors", #""k": "rgba(1, 2, 3, 0.5)""#),
        Pattern("theme: a long color", 300) { size in
            let text = #"{"t": {"color": "rgb("# + repeated("1,", size) + #""}}"#
            return { _ = Theme.parse(text.bytes).diagnostics }
        },
        Pattern("language tag: subtags", 60) { size in
            let text = "en-" + repeated("a-bc", size, separator: "-")
            return { _ = LanguageTag(text) }
        },
    ]

    /// Formats and messages.
    static let messages: [Pattern] = [
        message("format: placeholders", 100) { .init(repeated("%#$@ ", $0).replacing("%0$", with: "%1$")) },
        message("format: percent signs", 400) { .init(repeated("%", $0)) },
        message("format: variables", 60) { .init(repeated("%#@a@", $0, numbered: false)) },
        message("ICU: exact cases", 100) { .init(icu: "{n, plural, " + repeated("=# {a}", $0) + " other {b}}") },
        message("ICU: cases", 100) { .init(icu: "{n, select, " + repeated("c# {a}", $0) + " other {b}}") },
        message("ICU: arguments", 60) { .init(icu: repeated("{a#} ", $0)) },
        message("ICU: braces that don't end", 300) { .init(icu: repeated("{", $0)) },
        message("ICU: quotes", 300) { .init(icu: repeated("'{", $0)) },
        message("ICU: messages in messages", 40) { .init(icu: repeated("{n, plural, other {", $0)) },
    ]

    private static func message(
        _ name: String, _ size: Int, _ make: @escaping @Sendable (Int) -> CustomizationMessage
    ) -> Pattern {
        Pattern(name, size) { size in
            let message = make(size)
            return { _ = message.problems }
        }
    }

    private static func strings(_ name: String, _ part: String) -> Pattern {
        Pattern(name, 60) { size in
            let text = repeated(part, size)
            return { _ = StringsTable.parse(strings: text.bytes) }
        }
    }

    private static func theme(_ name: String, _ part: String) -> Pattern {
        Pattern(name, 40) { size in
            let text = #"{"t": {"# + repeated(part, size, separator: ",") + "}}"
            return {
                let parsed = Theme.parse(text.bytes)
                _ = Customization(layers: []).with(themes: parsed.themes).problems
            }
        }
    }
}
