import Testing

@testable import AshlarCustomization

@Suite struct DeviceNamesTests {
    @Test(
        "A text for devices is that of the running device's idiom, then the other text",
        arguments: [
            ("iPhone17,3", [1, 2], "other"), ("iPhone17,3", [], "other"), ("iPad14,1", [1, 2], "pad"),
            ("iPad14,1", [2], "pad"), ("iPad14,1", [1], "other"), ("iPod9,1", [1], "other"),
            ("RealityDevice14,1", [1, 2], "pad"), ("RealityDevice14,1", [1], "other"), ("arm64", [1, 2], "pad"),
        ])
    func padOrOther(model: String, families: [Int], text: String) throws {
        let message = CustomizationMessage(
            .devices([
                "ipad": CustomizationMessage("pad"), "other": CustomizationMessage("other"),
            ]))
        let names = DeviceNames.names(model: model, families: families)
        #expect(message.source(devices: names) == .format(text))
    }

    @Test(
        "Each device has its own name first",
        arguments: zip(
            ["iPhone17,3", "iPad14,1", "iPod9,1", "RealityDevice14,1"], ["iphone", "ipad", "ipod", "applevision"]))
    func first(model: String, name: String) {
        #expect(DeviceNames.names(model: model, families: [1, 2]).first == name)
    }
}
