/// What all models of one sort share: where they live, what they begin with, what they refuse.
///
/// ```swift
/// var notes = ModelSchema(host: "api.example.com", path: "notes")
/// notes.defaults = ["done": false]
/// notes.validate = { changes, _ in changes["title"]?.string() == "" ? ["title must not be empty"] : [] }
/// let note = Model(["title": "Milk"], schema: notes)
/// assert(note.isNew && note["done"].bool() == false)
/// ```
public struct ModelSchema: Sendable {
    /// The host, which a client's host choice may replace; nil if `path` is an absolute URL.
    public var host: EndpointHost?
    /// The path of the collection; a model lives at this path, one slash and its encoded id.
    public var path: String
    /// The attribute that identifies a model on the server.
    public var idAttribute: String = "id"
    /// The attributes that a model begins with, unless it is given others.
    public var defaults: [String: JSONEntity] = [:]
    /// Returns why attributes are refused, in words for the user; empty accepts them.
    ///
    /// It is given the attributes to be set, missing ones for those to be removed, and those that are there. Silent sets
    /// are not validated.
    public var validate: @Sendable (_ changes: [String: JSONEntity], _ current: [String: JSONEntity]) -> [String] = {
        _, _ in []
    }
    /// Finds a model's attributes in an answer of the server: an object.
    ///
    /// It runs where the answer arrives, not on the
    /// main thread.
    public var parse: @Sendable (_ answer: JSONEntity) -> JSONEntity = { $0 }
    /// Finds the list of models in an answer to a collection's fetch: an array of what `parse` is given.
    public var parseList: @Sendable (_ answer: JSONEntity) -> JSONEntity = { $0 }
    /// Returns the path to use for a verb instead of the usual one, or nil; an absolute URL is one too.
    public var pathFor: @Sendable (_ verb: ModelSyncVerb, _ model: Model) -> String? = { _, _ in nil }

    /// Creates a schema.
    public init(host: EndpointHost? = nil, path: String = "") { (self.host, self.path) = (host, path) }
}
