import Ashlar

/// The options on the command line.
struct Options: Equatable {
    var resources = "Resources"
    var logs = ".build/field-notes-logs"
    var language: LanguageTag?
    var brand: String?
    var environment = "debug"
    var bundleIdentifier = "com.example.fieldnotes"
    var host: String?
    var liveURL: String?
    var holds = false

    private typealias Setter = @Sendable (inout Options, String) -> Void

    private static let all: [(name: String, value: String, meaning: String, set: Setter)] = [
        ("--resources", "DIR", "the product's files (Resources)", { $0.resources = $1 }),
        ("--logs", "DIR", "the folder for logs (.build/field-notes-logs)", { $0.logs = $1 }),
        ("--language", "TAG", "the device language, such as fr-CA (the system's)", { $0.language = LanguageTag($1) }),
        ("--brand", "NAME", "the brand's folder (Info.plist's FTCustomizationString)", { $0.brand = $1 }),
        ("--environment", "NAME", "release, debug or simulator (debug)", { $0.environment = $1 }),
        ("--bundle-id", "ID", "such as com.example.fieldnotes.beta.acme", { $0.bundleIdentifier = $1 }),
        ("--host", "KEY", "PROD, QA, DEV or localhost (the environment's)", { $0.host = $1 }),
        ("--live", "URL", "loads notes from a server instead of the recorded ones", { $0.liveURL = $1 }),
        ("--hold", "", "waits for Return before ending, so that you can kill it", { o, _ in o.holds = true }),
    ]

    /// Parses the arguments after the program's name.
    static func parse(_ arguments: [String]) throws(UsageError) -> Options {
        var options = Options()
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if ["--help", "-h"].contains(name) { throw UsageError(description: help, status: 0) }
            guard let option = all.first(where: { $0.name == name }) else { throw UsageError("unknown option \(name)") }
            guard let value = option.value.isEmpty ? "" : rest.popFirst() else {
                throw UsageError("\(name) needs a value")
            }
            option.set(&options, value)
            if name == "--language", options.language == nil {
                throw UsageError("--language needs a tag such as fr-CA, not \(value)")
            }
        }
        guard ["release", "debug", "simulator"].contains(options.environment) else {
            throw UsageError("--environment must be release, debug or simulator, not \(options.environment)")
        }
        return options
    }

    private static var help: String {
        "usage: field-notes [options]\n\n"
            + all.map { "  " + "\($0.name) \($0.value)".padded(to: 20) + $0.meaning }.joined(separator: "\n")
    }
}

/// A reason to end before the app starts, with the exit status.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String
    var status: Int32 = 2
}

extension UsageError {
    init(_ description: String) { self.init(description: description) }
}
