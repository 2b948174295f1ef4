import AshlarAppConfig
import Foundation

/// Foundation's result for the same bytes, for comparison.
enum Oracle {
    static func propertyList(_ bytes: [UInt8]) -> ConfigValue? {
        let plist = try? PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)
        return plist.flatMap(value)
    }

    static func json(_ bytes: [UInt8]) -> ConfigValue? {
        (try? JSONSerialization.jsonObject(with: Data(bytes), options: [])).flatMap(value)
    }

    static func value(_ any: Any) -> ConfigValue? {
        switch any {
        case is NSNull: return .null
        case let text as String: return .string(text)
        case let date as Date: return .date(date)
        case let data as Data: return .data(data)
        case let number as NSNumber:
            switch String(cString: number.objCType) {
            case "c", "B": return .boolean(number.boolValue)
            case "d", "f":
                // More than 17 digits become a decimal number, whose `doubleValue` is off by up to a few units in the last
                // place: 18446744.73709551566 gives …512 where …516 is the nearest double. Its text is exact.
                if number is NSDecimalNumber { return Double(number.stringValue).map { .real($0) } }
                return .real(number.doubleValue)
            default:
                if let signed = Int64(number.stringValue) { return .integer(signed) }
                return UInt64(number.stringValue).map { .unsigned($0) }
            }
        case let array as [Any]:
            var elements: [ConfigValue] = []
            for element in array {
                guard let element = value(element) else { return nil }
                elements.append(element)
            }
            return .array(elements)
        case let dictionary as [String: Any]:
            var entries: [String: ConfigValue] = [:]
            for (key, entry) in dictionary {
                guard let entry = value(entry) else { return nil }
                entries[key] = entry
            }
            return .dictionary(entries)
        default: return nil
        }
    }

    static func any(_ value: ConfigValue) -> Any {
        switch value {
        case .null: NSNull()
        case .boolean(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .unsigned(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .string(let text): text
        case .date(let date): date
        case .data(let data): data
        case .array(let elements): elements.map { any($0) }
        case .dictionary(let entries): entries.mapValues { any($0) }
        }
    }
}

/// The library's result for the bytes of one file.
func read(_ bytes: [UInt8], adjust: (inout ConfigPlan) -> Void = { _ in }) -> Result<ApplicationConfig, ConfigError> {
    var plan = ConfigPlan(files: .memory(["ApplicationConfig.plist": bytes]), environments: [])
    plan.literalLayers = [.base]
    adjust(&plan)
    let report = ApplicationConfig.loadReport(plan)
    return report.errors.first.map { .failure($0) } ?? .success(report.config)
}
