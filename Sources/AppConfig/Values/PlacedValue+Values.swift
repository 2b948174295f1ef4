internal import AshlarTrees

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PlacedValue {
    /// Creates a value whose parts have one place; the entries of dictionaries are sorted.
    init(_ value: ConfigValue, place: UInt32 = 0) {
        let content: Content =
            switch value {
            case .null: .null
            case .boolean(let flag): .boolean(flag)
            case .integer(let number): .integer(number)
            case .unsigned(let number):
                Int64(exactly: number).map { .integer($0) } ?? .unsigned(number)
            case .real(let number): .real(number)
            case .string(let text): .string(text)
            case .date(let date): .date(date.timeIntervalSinceReferenceDate)
            case .data(let data): .data([UInt8](data))
            case .array(let elements): .array(elements.map { PlacedValue($0, place: place) })
            case .dictionary(let entries):
                .dictionary(
                    entries.sorted { $0.key < $1.key }.map {
                        Member($0.key, place: place, PlacedValue($0.value, place: place))
                    })
            }
        self.init(content, place: place)
    }

    init(_ values: [String: ConfigValue]) { self.init(.dictionary(values)) }

    /// The value, unless it is a container.
    var scalar: ConfigValue? {
        switch content {
        case .null: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .unsigned(let number): .unsigned(number)
        case .real(let number): .real(number)
        case .string(let text): .string(text)
        case .date(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data(let bytes): .data(Data(bytes))
        case .array, .dictionary, .unsupported: nil
        }
    }

    /// The value without places.
    var value: ConfigValue {
        switch content {
        case .array(let elements): .array(elements.map(\.value))
        case .dictionary(let members):
            .dictionary(Dictionary(members.map { ($0.key, $0.value.value) }) { $1 })
        default: scalar ?? .null
        }
    }

    var kind: ConfigKind {
        switch content {
        case .null, .unsupported: .null
        case .boolean: .boolean
        case .integer: .integer
        case .unsigned: .unsigned
        case .real: .real
        case .string: .string
        case .date: .date
        case .data: .data
        case .array: .array
        case .dictionary: .dictionary
        }
    }

    /// The kind with its article, for messages about the root of a file.
    var phrase: String {
        switch kind {
        case .null, .data: kind.name
        case .integer, .unsigned, .array: "an " + kind.name
        default: "a " + kind.name
        }
    }
}
