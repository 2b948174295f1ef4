#if os(iOS)
    import Foundation
#endif

/// The names of a device in texts that differ by device, on iOS and iPadOS.
package enum DeviceNames {
    /// Returns the names of a device, the best first.
    ///
    /// - Parameters:
    ///   - model: The model of the hardware, such as `iPad14,1`.
    ///   - families: The `UIDeviceFamily` of Info.plist: 1 for iPhone, 2 for iPad. An app for iPhone only has the idiom of an
    ///     iPhone on every device.
    /// - Returns: The names, such as `ipad`.
    package static func names(model: String, families: [Int]) -> [String] {
        if model.hasPrefix("iPod") { return ["ipod", "iphone"] }
        if model.hasPrefix("iPhone") || families == [1] { return ["iphone"] }
        // A headset runs apps of the iPad.
        return model.hasPrefix("RealityDevice") ? ["applevision", "ipad"] : ["ipad"]
    }
}

#if os(iOS)
    extension DeviceNames {
        /// The names of this device.
        static let running: [String] = {
            let simulated = ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"]
            let families = Bundle.main.object(forInfoDictionaryKey: "UIDeviceFamily") as? [Int]
            return names(model: simulated ?? hardware, families: families ?? [])
        }()

        private static var hardware: String {
            var size = 0
            guard sysctlbyname("hw.machine", nil, &size, nil, 0) == 0, size > 0 else { return "" }
            var bytes = [UInt8](repeating: 0, count: size)
            guard sysctlbyname("hw.machine", &bytes, &size, nil, 0) == 0 else { return "" }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
#endif
