public import Synchronization

/// A name that keys have, and where in the latest snapshot they found its value.
///
/// Slots are shared by all keys of a name and live as long as the process, so that a key holds a plain pointer: an object
/// would cost two atomic operations at each read, which is most of what a read takes. What a text is read by is inlined
/// into the caller, as the call would be a good part of the rest.
@usableFromInline
struct ConfigKeySlot: @unchecked Sendable {
    /// The number that stands for no node.
    @inlinable
    static var absent: Int { (1 << nodeBits) - 1 }
    @inlinable
    static var nodeBits: UInt64 { 28 }

    @usableFromInline
    struct Contents: ~Copyable {
        /// The snapshot's generation and the node's number in one word.
        let memo = Atomic<UInt64>(0)
        /// The generation and the number of the text there, for keys of texts, which then need not look at the node.
        @usableFromInline
        let text = Atomic<UInt64>(0)
        let name: String
    }

    // Never moved or freed; the name never changes and the memo is atomic.
    @usableFromInline
    let contents: UnsafeMutablePointer<Contents>

    /// The slot of a name, made if there is none yet.
    init(_ name: String) { self = Self.names.withLock { $0.slot(of: name) } }

    private init(_ contents: UnsafeMutablePointer<Contents>) { self.contents = contents }

    var name: String { contents.pointee.name }

    /// The node's number in a snapshot, `absent` if it has none.
    @inline(__always)
    func node(in snapshot: ConfigSnapshot) -> Int {
        let word = contents.pointee.memo.load(ordering: .relaxed)
        if word >> Self.nodeBits == snapshot.generation { return Int(word & UInt64(Self.absent)) }
        return find(in: snapshot)
    }

    /// The text in a snapshot, if it is known where it is and nobody wants to know of reads.
    @inlinable
    @inline(__always)
    func text(in snapshot: ConfigSnapshot) -> String? {
        let word = contents.pointee.text.load(ordering: .relaxed)
        if word >> Self.nodeBits != snapshot.quietGeneration { return nil }
        return snapshot.texts[Int(word & UInt64(Self.absent))]
    }

    func rememberText(_ number: Int, in snapshot: ConfigSnapshot) {
        if number >= Self.absent { return }
        contents.pointee.text.store(snapshot.generation << Self.nodeBits | UInt64(number), ordering: .relaxed)
    }

    @inline(never)
    private func find(in snapshot: ConfigSnapshot) -> Int {
        let node = snapshot.find(name) ?? Self.absent
        contents.pointee.memo.store(snapshot.generation << Self.nodeBits | UInt64(node), ordering: .relaxed)
        return node
    }

    // MARK: All names

    private static let names = Mutex(Names())

    private struct Names {
        private static let chunk = 64
        private var slots: [String: ConfigKeySlot] = [:]
        /// Memory for the next slots, which lie close together as keys are mostly made and read in one order.
        private var free: ConfigKeySlot?
        private var left = 0

        mutating func slot(of name: String) -> ConfigKeySlot {
            if let known = slots[name] { return known }
            if left == 0 {
                free = ConfigKeySlot(.allocate(capacity: Self.chunk))
                left = Self.chunk
            }
            guard let memory = free?.contents else { preconditionFailure("there is a chunk") }
            memory.initialize(to: Contents(name: name))
            (free, left) = (ConfigKeySlot(memory + 1), left - 1)
            let slot = ConfigKeySlot(memory)
            slots[name] = slot
            return slot
        }
    }
}
