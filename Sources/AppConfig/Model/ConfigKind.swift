/// The type of a value, as one byte in the tree.
enum ConfigKind: UInt8 {
    case null
    case boolean
    case integer
    case unsigned
    case real
    case string
    case date
    case data
    case array
    case dictionary

    var name: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .integer, .unsigned: "integer"
        case .real: "real"
        case .string: "string"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }

    var isContainer: Bool { self == .array || self == .dictionary }
}
