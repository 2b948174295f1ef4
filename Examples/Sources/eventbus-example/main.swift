// Watches, triggers and unwatches an event; an owner's watches end with the owner.
import AshlarEventBus

final class Counter: WatchOwner {
    let watches = WatchBag()
    let bus: EventBus

    init(_ bus: EventBus) {
        self.bus = bus
        bus.watch(Note.saved, owner: self) { _, signal in print("counter: note \(signal.payload) saved") }
    }
}

enum Note {
    static let saved = Topic<Int>("note:saved")
}

let bus = EventBus()
var counter: Counter? = Counter(bus)
let everything = bus.watch("note:*") { print("tap: \($0.name) #\($0.sequence)") }

let receipt = bus.trigger(Note.saved, 5)
print("delivered to \(receipt.delivered) watchers")
counter = nil
print("after the owner is gone: delivered to \(bus.trigger(Note.saved, 6).delivered)")
everything.cancel()
print("after cancel: delivered to \(bus.trigger(Note.saved, 7).delivered)")
