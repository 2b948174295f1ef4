import Ashlar
import AshlarTestSupport
import Foundation
import Testing

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
private struct Shown: NotificationCenter.MainActorMessage, Sendable {
    typealias Subject = NotificationTests.Page
    static var name: Notification.Name { Notification.Name("shown") }
    let title: String
}

@Suite("Notifications and events")
struct NotificationTests {
    final class Page: Sendable {}

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

    @Test("Events become notifications until the watch ends")
    func post() {
        let seen = Recorder<String?>()
        let token = center.addObserver(forName: name, object: nil, queue: nil) {
            seen.note($0.userInfo?["text"] as? String)
        }
        let watch = bus.post(edited, as: name, to: center) { ["text": $0] }
        bus.trigger(edited, "one")
        watch.cancel()
        bus.trigger(edited, "two")
        #expect(seen.items == ["one"])
        center.removeObserver(token)
    }

    @MainActor
    @Test("Typed messages become events, and events become typed messages")
    func messages() {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let (received, posted) = (Topic<Shown>("shown:received"), Topic<Shown>("shown:posted"))
        let seen = Recorder<String>()
        let watches = [bus.watch(received) { seen.note($0.payload.title) }, bus.post(posted, to: center)]
        let forwarding = bus.forward(Shown.self, from: center, to: received)
        bus.trigger(posted, Shown(title: "one"))
        #expect(seen.items == ["one"])
        forwarding.cancel()
        bus.trigger(posted, Shown(title: "two"))
        #expect(seen.items == ["one"])
        for watch in watches { watch.cancel() }
    }
}
