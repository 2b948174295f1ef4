/// The writes at run time: the last value at each path, `nil` where it was removed.
struct ConfigWrites: Sendable {
    var values: [[ConfigPath.Component]: (order: Int, value: ConfigValue?)] = [:]
    var count = 0
}
