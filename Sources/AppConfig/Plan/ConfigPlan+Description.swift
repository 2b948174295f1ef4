// A plan holds texts that files, variables and arguments give to secret keys, so it prints none of them.
extension ConfigPlan: CustomStringConvertible, CustomReflectable {
    /// The files and environments, without values.
    public var description: String {
        ([name] + environments.map(\.name)).joined(separator: "+") + " in \(files)"
            + (bundleIdentifier.map { " for \($0)" } ?? "")
    }

    /// The same, part by part; of defaults, variables and arguments only how many there are.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "files": files, "name": name, "environments": environments.map(\.name),
            "bundleIdentifier": bundleIdentifier ?? "none", "defaults": "\(defaults.count) keys",
            "localFile": localFile ?? "none", "variablePrefix": variablePrefix ?? "none",
            "variables": variables.map { "\($0.count) given" } ?? "the process's",
            "arguments": "\(arguments.count) given",
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension ConfigFiles: CustomStringConvertible, CustomReflectable {
    /// The directory's path, or the names of the files in memory.
    public var description: String {
        switch kind {
        case .directory(let path): path
        case .memory(let files): "memory (\(files.keys.sorted().joined(separator: ", ")))"
        }
    }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["place": description], displayStyle: .struct) }
}
