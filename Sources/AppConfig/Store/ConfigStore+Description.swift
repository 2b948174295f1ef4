extension ConfigStore: CustomStringConvertible, CustomReflectable {
    /// The current configuration; secret values are `<redacted>`.
    public var description: String { current.description }

    /// The current configuration and the errors of the latest load.
    public var customMirror: Mirror {
        Mirror(self, children: ["current": current, "errors": errors.map(\.description)], displayStyle: .class)
    }
}
