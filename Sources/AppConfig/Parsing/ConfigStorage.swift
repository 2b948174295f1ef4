#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A growing run of plain values in memory of its own, which a builder fills and a tree then reads.
///
/// Unlike an array it is handed on without a copy and read without counting references: reading a value is a few
/// nanoseconds, of which an array would take most.
final class ConfigStorage<Element: BitwiseCopyable>: @unchecked Sendable {
    // Written by one builder, which nobody else sees; never changed after it is handed to a tree.
    private(set) var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int = 16) {
        self.capacity = max(capacity, 1)
        base = Self.allocate(nil, self.capacity)
    }

    deinit { free(base) }

    private static func allocate(_ old: UnsafeMutablePointer<Element>?, _ count: Int) -> UnsafeMutablePointer<Element> {
        guard let memory = realloc(old, count * MemoryLayout<Element>.stride) else {
            preconditionFailure("out of memory")
        }
        return memory.assumingMemoryBound(to: Element.self)
    }

    func reserve(_ wanted: Int) {
        if wanted <= capacity { return }
        capacity = wanted
        base = Self.allocate(base, capacity)
    }

    /// Gives back what was reserved and not used.
    func trim() {
        if capacity - count < capacity / 8 { return }
        capacity = max(count, 1)
        base = Self.allocate(base, capacity)
    }

    @inline(__always)
    func append(_ element: Element) {
        if count == capacity { reserve(capacity * 2) }
        (base + count).initialize(to: element)
        count += 1
    }

    func append(contentsOf elements: UnsafeBufferPointer<Element>) {
        guard let first = elements.baseAddress, !elements.isEmpty else { return }
        if count + elements.count > capacity { reserve(max(capacity * 2, count + elements.count)) }
        (base + count).initialize(from: first, count: elements.count)
        count += elements.count
    }

    @inline(__always)
    subscript(_ at: Int) -> Element {
        get {
            assert(at >= 0 && at < count)
            return base[at]
        }
        set {
            assert(at >= 0 && at < count)
            base[at] = newValue
        }
        _modify {
            assert(at >= 0 && at < count)
            yield &base[at]
        }
    }

    /// All elements; valid while the storage lives.
    @inline(__always)
    var buffer: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

    /// A run of elements; valid while the storage lives.
    @inline(__always)
    func slice(_ start: Int, _ length: Int) -> UnsafeBufferPointer<Element> {
        assert(start >= 0 && start + length <= count)
        return UnsafeBufferPointer(start: base + start, count: length)
    }
}
