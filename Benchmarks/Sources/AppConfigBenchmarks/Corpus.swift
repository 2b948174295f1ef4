import AshlarAppConfig
import Foundation

/// A configuration of sections with fifty keys each, half of them numbers, half of them strings of 29 bytes.
struct Corpus {
    let values: [String: [String: Any]]
    let names: [String]

    init(keys: Int) {
        var values: [String: [String: Any]] = [:]
        var names: [String] = []
        for section in 0..<(keys / 50) {
            var entries: [String: Any] = [:]
            for key in 0..<50 {
                let number = section * 50 + key
                entries["key\(key)"] = key % 2 == 0 ? number : "value number \(number) of the file"
                names.append("section\(section).key\(key)")
            }
            values["section\(section)"] = entries
        }
        (self.values, self.names) = (values, names)
    }

    func plist(_ format: PropertyListSerialization.PropertyListFormat) -> [UInt8] {
        let data = try? PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0)
        return data.map { [UInt8]($0) } ?? []
    }

    func json() -> [UInt8] {
        (try? JSONSerialization.data(withJSONObject: values)).map { [UInt8]($0) } ?? []
    }

    /// 1,024 names of the numbers (`offset` 0) or the strings (1) in a fixed shuffled order, of these lengths in bytes.
    func probes(offset: Int, lengths: ClosedRange<Int> = 0...100) -> [String] {
        let candidates = stride(from: offset, to: names.count, by: 2).map { names[$0] }
            .filter { lengths.contains($0.utf8.count) }
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<1024).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return candidates[Int(state % UInt64(candidates.count))]
        }
    }
}

/// A file in memory.
private struct BytesSource: ConfigSource {
    let name = "ApplicationConfig.plist"
    let bytes: [UInt8]

    func content() -> ConfigSourceContent { .bytes(bytes) }
}

/// Loads a file from memory; stops the program if that fails, so that no benchmark measures an error.
func load(_ bytes: [UInt8]) -> ApplicationConfig {
    var plan = ConfigPlan(files: .memory([:]), environments: [])
    plan.add(BytesSource(bytes: bytes))
    do {
        return try ApplicationConfig.load(plan)
    } catch {
        fatalError("\(error)")
    }
}
