import Ashlar

/// The options of the command line.
struct Options: Equatable {
    private static let help = """
        usage: field-notes [options]

          --resources DIR     the product's files (Resources)
          --logs DIR          the folder for logs (.build/field-notes-logs)
          --language TAG      the device language, such as fr-CA (the system's)
          --brand NAME        the brand's folder (Info.plist's FTCustomizationString)
          --environment NAME  release, debug or simulator (debug)
          --bundle-id ID      such as com.example.fieldnotes.beta.acme
          --host KEY          PROD, QA, DEV or localhost (the environment's)
          --live URL          loads notes from a server instead of the recorded ones
          --hold              waits for Return before ending, so that you can kill it
        """
    private var values = [
        "--resources": "Resources", "--logs": ".build/field-notes-logs", "--environment": "debug",
        "--bundle-id": "com.example.fieldnotes",
    ]

    /// Parses the arguments after the program's name.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if ["--help", "-h"].contains(name) { throw UsageError(description: Self.help, status: 0) }
            guard Self.help.contains("\n  \(name) ") else { throw UsageError(description: "unknown option \(name)") }
            values[name] = name == "--hold" ? "yes" : rest.popFirst()
            guard values[name] != nil else { throw UsageError(description: "\(name) needs a value") }
        }
        if !self["--language"].isEmpty, LanguageTag(self["--language"]) == nil {
            throw UsageError(description: "--language needs a tag such as fr-CA")
        }
        guard ["release", "debug", "simulator"].contains(self["--environment"]) else {
            throw UsageError(description: "--environment must be release, debug or simulator")
        }
    }

    /// The value of an option; empty if it has none.
    subscript(name: String) -> String { values[name] ?? "" }
}

/// A reason to end before the app starts, with the exit status.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String
    var status: Int32 = 2
}
