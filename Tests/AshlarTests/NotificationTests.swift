import Ashlar
import AshlarTestSupport
import Foundation
import Testing

@Suite("Notifications and events")
struct NotificationTests {
    let bus = EventBus()
    let center = NotificationCenter()
    let name = Notification.Name("edited")
    let edited = Topic<String>("note:edited")

    @Test("Notifications become events until the observation ends or is released", arguments: [true, false])
    func forward(isCancelled: Bool) {
        let seen = Recorder<String>()
        let watch = bus.watch(edited) { seen.note($0.payload) }
        var forwarding: NotificationForwarding? = bus.forward(name, from: center, to: edited) {
            $0.userInfo?["text"] as? String
        }
        center.post(name: name, object: nil, userInfo: ["text": "one"])
        center.post(name: name, object: nil, userInfo: ["other": 1])
        center.post(name: Notification.Name("other"), object: nil, userInfo: ["text": "two"])
        if isCancelled {
            forwarding?.cancel()
            forwarding?.cancel()
        } else {
            forwarding = nil
        }
        center.post(name: name, object: nil, userInfo: ["text": "three"])
        #expect(seen.items == ["one"])
        watch.cancel()
    }

    @Test("An observation doesn't retain the bus")
    func released() {
        weak var gone: EventBus?
        let forwarding: NotificationForwarding
        do {
            let bus = EventBus()
            gone = bus
            forwarding = bus.forward(name, from: center, to: edited) { _ in "x" }
        }
        #expect(gone == nil)
        forwarding.cancel()
    }
}
