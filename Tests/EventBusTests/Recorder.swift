import AshlarEventBus

/// Notes what handlers saw, from any thread.
final class Recorder<Item: Sendable>: Sendable {
    private let notes = Mutex<[Item]>([])
    var items: [Item] { notes.withLock { $0 } }
    func note(_ item: Item) { notes.withLock { $0.append(item) } }
    func clear() { notes.withLock { $0 = [] } }
}

final class Thing: Sendable {}

final class Keeper: WatchOwner {
    let watches = WatchBag()
    let name: String
    init(_ name: String = "keeper") { self.name = name }
}

struct Oops: Error, Equatable {
    let number: Int
    init(_ number: Int = 0) { self.number = number }
}
