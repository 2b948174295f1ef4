internal import AshlarNetworking

/// A record in the folder: the latest known version of the server and the unsent changes, oldest first.
struct OfflineRecord: Sendable {
    /// An unsent change.
    struct Change: Sendable {
        var key: String
        var verb: ModelSyncVerb
        var path: String
        var body: JSONEntity = .missing
        /// The position in the queue of all records.
        var order: Int
        /// The version on which the change is based.
        var version: String?
        /// Whether the server may have received the change.
        var isSent = false
        var refusal: Refusal?
    }

    /// The server's reason for not accepting a change.
    struct Refusal: Sendable {
        var code: NetworkError.Code
        var message: String
        var status: Int?
        var messages: [String] = []
        /// The server's attributes; missing if it has no such record.
        var theirs: JSONEntity = .missing
        var version: String?

        var isDeletion: Bool { status == 404 || status == 410 }
        var isConflict: Bool { code == .conflict || status == 409 || status == 412 || isDeletion }
    }

    /// The most versions that `ownVersions` lists.
    private static let mostVersions = 16

    /// The name of the file, without its suffix.
    let name: String
    let host: EndpointHost?
    var path: String
    /// The earlier paths of a record whose identifier has changed.
    var formerPaths: [String] = []
    /// The path of the collection in which the record was created here, or nil.
    var collection: String?
    /// The position of the creation in the queue, if the record was created here.
    var creation = 0
    /// The identifier until the server assigns one, if the record was created here.
    var localID: String?
    /// The identifier that the server has assigned to a record created here.
    var serverID: JSONEntity = .missing
    /// The server's attributes; missing if they are unknown.
    var base: JSONEntity = .missing
    var version: String?
    /// The versions that changes of this device have replaced, so that models that still have them cause no conflict.
    var ownVersions: [String] = []
    var changes: [Change] = []
    /// The number of the last accepted change, counted in this process.
    var stamp = 0

    init(name: String, host: EndpointHost?, path: String) {
        self.name = name
        self.host = host
        self.path = path
    }

    /// Whether the server hasn't assigned an identifier yet.
    var isUnidentified: Bool { localID != nil && !serverID.isValid }

    /// The identifier of a record created here.
    var id: JSONEntity { serverID.isValid ? serverID : localID.map { JSONEntity($0) } ?? .missing }

    /// Whether nothing is known and nothing is to be sent.
    var isEmpty: Bool { changes.isEmpty && !base.isValid }

    /// The attributes with all unsent changes, or nil for a deleted or unknown record.
    func attributes(id attribute: String) -> JSONEntity? {
        guard let last = changes.last else { return base.isValid ? base : nil }
        guard last.verb != .delete, var members = last.body.dictionary() else { return nil }
        if id.isValid { members[attribute] = id }
        return JSONEntity(object: members)
    }

    /// Whether a path is an earlier one of the record.
    func hasLeft(_ path: String) -> Bool {
        formerPaths.contains { OfflinePlace(nil, $0) == OfflinePlace(nil, path) }
    }

    /// Returns a version on which a new change is based, from the version that the model has.
    func version(of model: String?) -> String? {
        guard let model, model != version, !ownVersions.contains(model) else { return version }
        return model
    }

    // MARK: Changes

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - attribute: The attribute that identifies the record.
    ///   - joins: Whether the change may become part of the last one if that is unsent.
    /// - Returns: The key under which the change is sent, or nil if there is nothing to send.
    mutating func add(_ change: Change, id attribute: String, joins: Bool) -> String? {
        guard joins, var last = changes.last, !last.isSent || last.refusal != nil else {
            changes.append(change)
            return change.key
        }
        if change.verb == .delete {
            if last.verb == .create {
                changes.removeAll()
                return nil
            }
            last.verb = .delete
            last.body = .missing
            last.path = change.path
        } else {
            last.body = last.verb == .create ? withoutLocalID(change.body, attribute) : change.body
            if last.verb != .create { (last.verb, last.path) = (.update, change.path) }
        }
        if let refusal = last.refusal, !refusal.isConflict {
            // The new attributes may be acceptable, and the server must not mistake them for the refused ones.
            last.refusal = nil
            last.key = change.key
            last.isSent = false
        }
        changes[changes.count - 1] = last
        return last.key
    }

    /// Removes the first change, which the server has accepted with an answer.
    mutating func accept(_ answer: JSONEntity, version: String?, id attribute: String) {
        let sent = changes.removeFirst()
        if sent.verb == .delete {
            base = .missing
            self.version = nil
            if let next = changes.first, next.verb == .update { changes[0] = recreating(next, id: attribute) }
            return
        }
        let members = sent.body.dictionary([:]).merging(answer.dictionary([:])) { $1 }
        base = JSONEntity(object: members)
        replaceVersion(by: version)
        for index in changes.indices { changes[index].version = version }
        guard sent.verb == .create else { return }
        if let id = members[attribute], let text = Model.text(of: id) {
            formerPaths.append(path)
            serverID = id
            path = (collection ?? sent.path).appendingSegment(text)
        } else if !changes.isEmpty {
            changes[0].refusal = Refusal(
                code: .decodingFailed, message: "the answer to the creation has no identifier")
            base = .missing
        } else {
            base = .missing
        }
    }

    /// Stores the server's refusal with the first change.
    ///
    /// - Parameters:
    ///   - refusal: The refusal.
    ///   - attribute: The attribute that identifies the record.
    ///   - joins: Whether later changes may become part of the first one.
    mutating func refuse(_ refusal: Refusal, id attribute: String, joins: Bool) {
        changes[0].refusal = refusal
        guard joins, changes.count > 1, let last = changes.last else { return }
        if last.verb == .delete, changes[0].verb == .create || refusal.isDeletion {
            changes = []
            base = .missing
            return
        }
        if changes[0].verb != .create { (changes[0].verb, changes[0].path) = (last.verb, last.path) }
        changes[0].body = changes[0].verb == .create ? withoutLocalID(last.body, attribute) : last.body
        changes.removeLast(changes.count - 1)
    }

    /// Applies a decision about the first change, which gets a new key and is sent again, or is removed.
    mutating func resolve(_ resolution: OfflineResolution, key: String, id attribute: String) {
        let refusal = changes[0].refusal
        if let refusal, changes[0].verb != .create {
            base = refusal.theirs
            if refusal.version != version {
                // A model with an earlier version doesn't have the other client's edit.
                ownVersions = []
                version = refusal.version
            }
        }
        if case .theirs = resolution {
            changes.removeAll()
            return
        }
        var first = changes[0]
        if case .merged(let attributes) = resolution { (first.body, first.verb) = (attributes, first.verb.sendingBody) }
        if refusal?.isDeletion == true || isUnidentified, first.verb == .update {
            first = recreating(first, id: attribute)
        }
        first.key = key
        first.version = version
        first.refusal = nil
        first.isSent = false
        changes[0] = first
    }

    /// Returns the attributes without the identifier that was assigned here.
    func withoutLocalID(_ body: JSONEntity, _ attribute: String) -> JSONEntity {
        guard let localID, body[attribute].string() == localID else { return body }
        return JSONEntity(object: body.filter { $0.key != attribute }.map { ($0.key, $0) })
    }

    /// Returns an update as a creation, for which the server assigns another identifier.
    private mutating func recreating(_ change: Change, id attribute: String) -> Change {
        let list = collection ?? path.removingLastSegment()
        collection = list
        var change = change
        change.verb = .create
        change.path = list
        change.version = nil
        change.body = JSONEntity(object: change.body.dictionary([:]).filter { $0.key != attribute })
        return change
    }

    private mutating func replaceVersion(by version: String?) {
        if let old = self.version { ownVersions = (ownVersions + [old]).suffix(Self.mostVersions) }
        self.version = version
    }
}

extension ModelSyncVerb {
    fileprivate var sendingBody: ModelSyncVerb { self == .create ? .create : .update }
}
