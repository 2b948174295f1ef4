import Ashlar

/// The options of the command line.
struct Options: Equatable {
    private var values: [String: String] = [:]

    private static let known: KeyValuePairs = [
        "--resources DIR": "the product's files (Resources)",
        "--logs DIR": "the folder for logs (.build/field-notes-logs)",
        "--language TAG": "the device language, such as fr-CA (the system's)",
        "--brand NAME": "the brand's folder (Info.plist's FTCustomizationString)",
        "--environment NAME": "release, debug or simulator (debug)",
        "--bundle-id ID": "such as com.example.fieldnotes.beta.acme",
        "--host KEY": "PROD, QA, DEV or localhost (the environment's)",
        "--live URL": "loads notes from a server instead of the recorded ones",
        "--hold": "waits for Return before ending, so that you can kill it",
    ]

    /// Parses the arguments after the program's name.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if ["--help", "-h"].contains(name) { throw UsageError(Self.help, status: 0) }
            guard let option = Self.known.first(where: { $0.key.split(separator: " ")[0] == name }) else {
                throw UsageError("unknown option \(name)")
            }
            guard let value = option.key == name ? "" : rest.popFirst() else {
                throw UsageError("\(name) needs a value")
            }
            values[name] = value
        }
        if let tag = self["--language"], LanguageTag(tag) == nil {
            throw UsageError("--language needs a tag such as fr-CA, not \(tag)")
        }
        let environment = self["--environment", default: "debug"]
        if !["release", "debug", "simulator"].contains(environment) {
            throw UsageError("--environment must be release, debug or simulator, not \(environment)")
        }
    }

    subscript(name: String) -> String? { values[name] }
    subscript(name: String, default otherwise: String) -> String { values[name, default: otherwise] }

    private static var help: String {
        "usage: field-notes [options]\n" + known.map { "\n  " + $0.key.padded(to: 20) + $0.value }.joined()
    }
}

/// A reason to end before the app starts, with the exit status.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String
    let status: Int32

    init(_ description: String, status: Int32 = 2) { (self.description, self.status) = (description, status) }
}
