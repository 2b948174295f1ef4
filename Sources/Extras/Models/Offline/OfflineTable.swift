internal import AshlarCore
internal import AshlarNetworking

/// The records and lists of an ``OfflineSync``, found by path and identifier; a value without I/O.
struct OfflineTable: Sendable {
    private(set) var records: [String: OfflineRecord] = [:]
    private var names: [OfflinePlace: String] = [:]
    private var localNames: [String: String] = [:]
    private(set) var lists: [OfflinePlace: [String]] = [:]
    /// The orders and records of the first unsent changes, sorted.
    private var heads: [(order: Int, name: String)] = []
    /// The records of the first unsent changes, by key.
    private var headNames: [String: String] = [:]
    private var lastOrder = 0

    init(_ content: OfflineFolder.Content) {
        lists = content.lists
        for record in content.records { store(record) }
    }

    mutating func nextOrder() -> Int {
        lastOrder += 1
        return lastOrder
    }

    // MARK: Records

    /// Stores a record; an empty one is removed.
    mutating func store(_ record: OfflineRecord) {
        if record.isEmpty { return remove(record.name) }
        removeHead(of: record.name)
        records[record.name] = record
        for path in record.formerPaths + [record.path] { names[OfflinePlace(record.host, path)] = record.name }
        if let id = record.localID { localNames[id] = record.name }
        if let head = record.changes.first {
            heads.insert((head.order, record.name), at: place(of: head.order))
            headNames[head.key] = record.name
        }
        lastOrder = max(lastOrder, record.creation, record.changes.map(\.order).max() ?? 0)
    }

    private mutating func remove(_ name: String) {
        removeHead(of: name)
        guard let record = records.removeValue(forKey: name) else { return }
        for path in record.formerPaths + [record.path] { names[OfflinePlace(record.host, path)] = nil }
        if let id = record.localID { localNames[id] = nil }
    }

    private mutating func removeHead(of name: String) {
        guard let head = records[name]?.changes.first else { return }
        heads.remove(at: place(of: head.order))
        headNames[head.key] = nil
    }

    /// The index of the first head whose order isn't less.
    private func place(of order: Int) -> Int {
        var (low, high) = (0, heads.count)
        while low < high {
            let middle = (low + high) / 2
            if heads[middle].order < order { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func setList(_ place: OfflinePlace, _ names: [String]) { lists[place] = names }

    /// Returns the record of a host and path; the path may contain an identifier that was assigned here.
    func record(_ host: EndpointHost?, _ path: String) -> OfflineRecord? {
        if let name = LocalID.all(in: path).last.flatMap({ localNames[$0] }) { return records[name] }
        return names[OfflinePlace(host, resolve(path))].flatMap { records[$0] }
    }

    // MARK: Identifiers

    /// Returns a path with the identifiers that the server has assigned.
    func resolve(_ path: String) -> String {
        LocalID.replace(in: path) { id in
            serverID(id).flatMap(Model.text).map { PercentCoding.encode($0) }
        }
    }

    /// Returns a value with the identifiers that the server has assigned.
    func resolve(_ value: JSONEntity) -> JSONEntity { LocalID.replace(in: value, by: serverID) }

    private func serverID(_ id: String) -> JSONEntity? {
        localNames[id].flatMap { records[$0] }.flatMap { $0.serverID.isValid ? $0.serverID : nil }
    }

    /// Whether a change can become part of another one, because it refers to no record that is created later.
    func canJoin(_ body: JSONEntity, _ earlier: OfflineRecord.Change, of record: OfflineRecord) -> Bool {
        unidentified(in: body).allSatisfy { other in
            other.name != record.name && (other.changes.first?.order ?? .max) < earlier.order
        }
    }

    private func unidentified(in value: JSONEntity) -> [OfflineRecord] {
        guard value.isValid else { return [] }
        return LocalID.all(in: value.text()).compactMap { localNames[$0].flatMap { records[$0] } }
            .filter(\.isUnidentified)
    }

    // MARK: Queue

    /// All unsent changes in order.
    var queue: [(record: OfflineRecord, change: OfflineRecord.Change)] {
        heads.compactMap { records[$0.name] }.flatMap { record in record.changes.map { (record, $0) } }
            .sorted { $0.1.order < $1.1.order }
    }

    var hasChanges: Bool { !heads.isEmpty }

    /// The first record whose first change can be sent.
    ///
    /// A change that refers to a record without an identifier waits for the creation of the record.
    var next: OfflineRecord? { heads.lazy.compactMap { records[$0.name] }.first(where: isReady) }

    /// Whether the first change of a record can be sent.
    func isReady(_ record: OfflineRecord) -> Bool {
        guard let change = record.changes.first, change.refusal == nil else { return false }
        return (change.verb == .create || !record.isUnidentified) && unidentified(in: change.body).isEmpty
            && LocalID.all(in: change.path).allSatisfy { id in
                localNames[id].flatMap { records[$0] }?.isUnidentified != true
            }
    }

    /// Returns the record whose first change has a key.
    func record(withFirst key: String) -> OfflineRecord? { headNames[key].flatMap { records[$0] } }

    // MARK: Lists

    /// The records of a list, in order, without those that are deleted; nil if nothing is known.
    func members(of place: OfflinePlace, id attribute: String) -> [OfflineRecord]? {
        let listed = lists[place]
        let isListed = Set(listed ?? [])
        let created = created(in: place).filter { !isListed.contains($0.name) }
        guard listed != nil || !created.isEmpty else { return nil }
        return ((listed ?? []).compactMap { records[$0] } + created).filter { $0.attributes(id: attribute) != nil }
    }

    /// The records that were created here in a list, oldest first.
    private func created(in place: OfflinePlace) -> [OfflineRecord] {
        records.values.filter { record in
            record.collection.map { OfflinePlace(record.host, resolve($0)) == place } ?? false
        }.sorted { $0.creation < $1.creation }
    }
}

/// A host and path, by which records and lists are found; slashes at the ends of the path have no meaning.
struct OfflinePlace: Hashable, Sendable {
    let host: EndpointHost?
    let path: String

    init(_ host: EndpointHost?, _ path: String) {
        self.host = host
        var rest = path[...]
        while rest.last == "/" { rest.removeLast() }
        while rest.first == "/" { rest.removeFirst() }
        self.path = String(rest)
    }
}

/// Identifiers of records that the server hasn't seen.
enum LocalID {
    private static let prefix = "local-"
    private static let count = 32

    static func make() -> String { prefix + randomName() }

    /// Returns 32 random hexadecimal digits.
    static func randomName() -> String {
        (0..<count / 2).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    }

    /// Returns the identifiers in a text, in order.
    static func all(in text: some StringProtocol) -> [String] {
        var (found, rest) = ([String](), Array(text.utf8)[...])
        let start = Array(prefix.utf8)
        while let dash = rest.firstIndex(of: start[0]) {
            rest = rest[dash...]
            let digits = rest.dropFirst(start.count).prefix(count)
            if rest.starts(with: start), digits.count == count, digits.allSatisfy({ $0.hexValue != nil }) {
                found.append(String(decoding: rest.prefix(start.count + count), as: UTF8.self))
                rest = rest.dropFirst(start.count + count)
            } else {
                rest = rest.dropFirst()
            }
        }
        return found
    }

    /// Returns a text in which identifiers are replaced by those that the server has assigned.
    static func replace(in text: String, by known: (String) -> String?) -> String {
        var result = text
        for id in all(in: text) {
            if let new = known(id) { result = result.replacing(id, with: new) }
        }
        return result
    }

    /// Returns a value in which identifiers are replaced; a string that is an identifier becomes the server's value.
    static func replace(in value: JSONEntity, by known: @escaping (String) -> JSONEntity?) -> JSONEntity {
        guard !all(in: value.text()).isEmpty else { return value }
        let knownText = { (id: String) in known(id).flatMap(Model.text) }
        if value.isObject {
            return JSONEntity(
                object: value.map { member in
                    (replace(in: member.key, by: knownText), replace(in: member, by: known))
                })
        }
        if value.isArray { return JSONEntity(array: value.map { replace(in: $0, by: known) }) }
        guard let text = value.string() else { return value }
        return known(text) ?? JSONEntity(replace(in: text, by: knownText))
    }
}

extension String {
    /// Appends a slash, if there is none, and an encoded segment.
    func appendingSegment(_ text: String) -> String { self + (hasSuffix("/") ? "" : "/") + PercentCoding.encode(text) }

    /// The path without its last segment.
    func removingLastSegment() -> String { lastIndex(of: "/").map { String(self[..<$0]) } ?? self }
}
