/// A growing run of texts, which a builder fills and a tree then reads; handed on without touching the texts.
final class ConfigTexts: @unchecked Sendable {
    // Written by one builder, which nobody else sees; never changed after it is handed to a tree.
    private var base: UnsafeMutablePointer<String>
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int = 8) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    deinit {
        base.deinitialize(count: count)
        base.deallocate()
    }

    func reserve(_ wanted: Int) {
        if wanted <= capacity { return }
        let bigger = UnsafeMutablePointer<String>.allocate(capacity: wanted)
        bigger.moveInitialize(from: base, count: count)
        base.deallocate()
        (base, capacity) = (bigger, wanted)
    }

    func append(_ text: String) {
        if count == capacity { reserve(capacity * 2) }
        (base + count).initialize(to: text)
        count += 1
    }

    /// All texts; valid while the storage lives.
    var buffer: UnsafeBufferPointer<String> { UnsafeBufferPointer(start: base, count: count) }
}
