// A plan can contain the values of secret keys, so its description contains no values.
extension ConfigPlan: CustomStringConvertible, CustomReflectable {
    /// The files and environments, without values.
    public var description: String {
        ([name] + environments.map(\.name)).joined(separator: "+") + " in \(files)"
            + (bundleIdentifier.map { " for \($0)" } ?? "")
    }

    /// The parts of the plan; for defaults, variables and arguments only their number.
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
    /// The path of the directory, or the names of the files in memory.
    public var description: String {
        switch kind {
        case .directory(let path): path
        case .memory(let files): "memory (\(files.keys.sorted().joined(separator: ", ")))"
        }
    }

    /// A mirror with only the description.
    public var customMirror: Mirror { Mirror(self, children: ["place": description], displayStyle: .struct) }
}
