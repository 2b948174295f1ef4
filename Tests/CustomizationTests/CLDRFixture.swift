import Foundation

/// The fixtures that Scripts/generate-cldr writes.
enum CLDRFixture {
    static func lines(_ name: String) throws -> [String] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/CLDR")
        return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }
}

extension CLDRFixture {
    /// How many cases to try: few in a usual run, many if `ASHLAR_SOAK` is 1.
    static func count(_ usual: Int, soak: Int) -> Int {
        ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1" ? soak : usual
    }
}

/// Random numbers that a seed repeats.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
