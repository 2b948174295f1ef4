import Foundation

/// The options of the command line.
struct Options {
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

    /// Parses the arguments after the program's name; prints help or a mistake, and exits.
    init(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            if ["--help", "-h"].contains(name) { Self.exit(0, Self.help) }
            guard Self.help.contains("\n  \(name) ") else { Self.exit(2, "unknown option \(name)") }
            values[name] = name == "--hold" ? "yes" : rest.popFirst()
            if values[name] == nil { Self.exit(2, "\(name) needs a value") }
        }
    }

    /// The value of an option; empty if it has none.
    subscript(name: String) -> String { values[name] ?? "" }

    /// Exits if an option has a value that isn't available; nothing is available in damaged files.
    func check(_ name: String, isOneOf available: some Sequence<String>) {
        let available = Set(available).sorted()
        if self[name].isEmpty || available.isEmpty || available.contains(self[name]) { return }
        Self.exit(2, "\(name): no '\(self[name])'; available: \(available.joined(separator: ", "))")
    }

    private static func exit(_ status: Int32, _ text: String) -> Never {
        (status == 0 ? FileHandle.standardOutput : .standardError).write(Data((text + "\n").utf8))
        Foundation.exit(status)
    }
}
