import AshlarEventBus

let bus = EventBus()
let saved = Topic<Int>("note:saved")
let watch = bus.watch(saved) { print("AshlarEventBus alone: \($0.name) \($0.payload)") }
precondition(bus.trigger(saved, 5).delivered == 1)
watch.cancel()
precondition(bus.trigger(saved, 6).delivered == 0)
