/// JSON with `//` and `/* */` comments and trailing commas.
///
/// ```swift
/// var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{\"port\": 80, /* the default */}"]))
/// plan.formats["json"] = JSONWithCommentsFormat()
/// print(try ApplicationConfig.load(plan).int(forKey: "port", default: 0))  // 80
/// ```
public struct JSONWithCommentsFormat: ConfigFormat {
    /// Creates the format.
    public init() {}

    /// Reads the bytes of a file.
    public func document(from bytes: [UInt8], limits: ConfigLimits) throws -> ConfigDocument {
        let context = ConfigReaderContext(location: ConfigLocation(file: ""), limits: limits, allowsComments: true)
        return ConfigDocument(try JSONReader.read(bytes, context))
    }
}
