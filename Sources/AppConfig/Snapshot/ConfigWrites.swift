/// The writes at run time: the last value at each path, or `nil` for a removed value.
struct ConfigWrites: Sendable {
    var values: [[ConfigPath.Component]: (order: Int, value: ConfigValue?)] = [:]
    var count = 0
}
