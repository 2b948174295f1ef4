internal import AshlarCore

extension JSONEntity: Sequence {
    /// Iterates over the elements of an array or the values of an object, in the order of the document.
    ///
    /// Other values have no elements. A value of an object has its own key; an element has the key of its array.
    public struct Iterator: IteratorProtocol, Sendable {
        private let parent: JSONEntity
        private let isObject: Bool
        private var position: Int
        private let end: Int

        init(_ parent: JSONEntity) {
            self.parent = parent
            isObject = parent.isObject
            position = Int(parent.index) + 1
            end = parent.isContainer ? parent.document.next(after: Int(parent.index)) : 0
        }

        /// Returns the next element or value, or nil at the end.
        @inline(__always)
        public mutating func next() -> JSONEntity? {
            guard position < end else { return nil }
            let value = isObject ? position + 1 : position
            let entity = JSONEntity(
                in: parent, value, keyIndex: isObject ? Int32(truncatingIfNeeded: position) : parent.keyIndex)
            position = parent.document.next(after: value)
            return entity
        }
    }

    /// Returns an iterator over the elements of an array or the values of an object.
    @inline(__always)
    public func makeIterator() -> Iterator { Iterator(self) }

    /// A lower bound for the number of elements or members, available without counting.
    public var underestimatedCount: Int {
        guard isContainer else { return 0 }
        let size = JSONTape.size(word)
        return size == JSONTape.many ? JSONTape.indexed : size
    }
}
