// error: risks causing data races
// Both threads use the box. The compiler finds this after type-checking, in its mandatory passes.
final class Box {
    var value = 0
}

func race() {
    let box = Box()
    Task.detached { box.value += 1 }
    box.value += 1
}
