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

    static let help = """
        usage: field-notes [options]

          --resources DIR    the product's files (Resources)
          --logs DIR         the folder for logs (.build/field-notes-logs)
          --language TAG     the device language, such as fr-CA (the system's)
          --brand NAME       the brand's folder (Info.plist's FTCustomizationString)
          --environment NAME release, debug or simulator (debug)
          --bundle-id ID     such as com.example.fieldnotes.beta.acme (com.example.fieldnotes)
          --host KEY         the host environment: PROD, QA, DEV, localhost (the map's prerelease choice)
          --live URL         loads notes from a server instead of the recorded ones
          --hold             waits for Return before ending, so that you can kill the process
        """

    enum Problem: Error, Equatable {
        case unknown(String)
        case missingValue(String)
        case wrongEnvironment(String)
        case wrongLanguage(String)
        case helpWanted
        case unavailable(option: String, value: String, available: [String])
    }

    /// Parses the arguments after the program's name.
    static func parse(_ arguments: [String]) throws(Problem) -> Options {
        var options = Options()
        var rest = arguments[...]
        while let flag = rest.popFirst() {
            if flag == "--help" || flag == "-h" { throw .helpWanted }
            if flag == "--hold" {
                options.holds = true
                continue
            }
            guard let target = valueFlags[flag] else { throw .unknown(flag) }
            guard let value = rest.popFirst() else { throw .missingValue(flag) }
            guard flag != "--language" || LanguageTag(value) != nil else { throw .wrongLanguage(value) }
            target(&options, value)
        }
        guard ["release", "debug", "simulator"].contains(options.environment) else {
            throw .wrongEnvironment(options.environment)
        }
        return options
    }

    private static let valueFlags: [String: @Sendable (inout Options, String) -> Void] = [
        "--resources": { $0.resources = $1 },
        "--logs": { $0.logs = $1 },
        "--language": { $0.language = LanguageTag($1) },
        "--brand": { $0.brand = $1 },
        "--environment": { $0.environment = $1 },
        "--bundle-id": { $0.bundleIdentifier = $1 },
        "--host": { $0.host = $1 },
        "--live": { $0.liveURL = $1 },
    ]
}

extension Options.Problem: CustomStringConvertible {
    var description: String {
        switch self {
        case .unknown(let flag): "unknown option \(flag)"
        case .missingValue(let flag): "\(flag) needs a value"
        case .wrongEnvironment(let name): "--environment must be release, debug or simulator, not \(name)"
        case .wrongLanguage(let tag): "--language needs a tag such as fr-CA, not \(tag)"
        case .helpWanted: Options.help
        case .unavailable(let option, let value, let available):
            "\(option): no '\(value)'; available: \(available.joined(separator: ", "))"
        }
    }
}
