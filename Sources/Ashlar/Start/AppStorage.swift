import AshlarLogging
import AshlarNetworking

/// The place where an app stores its log and the user's selections of hosts.
public enum AppStorage: Hashable, Sendable {
    /// The platform's folder for the application, which the system doesn't purge, with a subfolder for each flavor.
    ///
    /// On Linux it is `$XDG_STATE_HOME/<application>` or `~/.local/state/<application>`; on Apple systems it is
    /// `~/Library/Application Support/<application>`. The application's name is `LogConfiguration.application`. Without a
    /// home folder, the app stores in memory and records an issue.
    case standard
    /// A folder with a subfolder for each flavor, created if it is missing.
    case folder(String)
    /// Memory; nothing is stored on the disk.
    case memory
}

extension AppStorage {
    /// The folder of the log, or nil to store it in memory.
    func logFolder(application: String, flavor: String?) -> String? {
        let name = flavor.map { "/" + Self.fileName(of: $0) } ?? ""
        switch self {
        case .standard: return LogConfiguration.defaultFolder(application: Self.fileName(of: application) + name)
        case .folder(let path): return "\(path)\(name)/logs"
        case .memory: return nil
        }
    }

    /// The file of host selections next to the folder of the log, or nil to store them in memory.
    func hostChoicesFile(application: String, flavor: String?) -> String? {
        guard let logs = logFolder(application: application, flavor: flavor), let slash = logs.lastIndex(of: "/") else {
            return nil
        }
        return logs[..<slash] + "/HostChoices.json"
    }

    /// A name that stays inside its folder: other characters than letters, digits, `.`, `-` and `_` are replaced.
    private static func fileName(of name: String) -> String {
        let safe = name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "_" }
        return safe.first == "." ? "_" + String(safe.dropFirst()) : String(safe)
    }
}
