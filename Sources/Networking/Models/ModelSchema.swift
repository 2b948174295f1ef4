/// Settings for all models of a kind: location, defaults and validation.
///
/// ```swift
/// var notes = ModelSchema(host: "api.example.com", path: "notes")
/// notes.defaults = ["done": false]
/// notes.validate = { changes, _ in changes["title"]?.string() == "" ? ["title must not be empty"] : [] }
/// let note = Model(["title": "Milk"], schema: notes)
/// assert(note.isNew && note["done"].bool() == false)
/// ```
public struct ModelSchema: Sendable {
    /// The events for a `set` in a handler of `change`.
    public enum NestedChanges: Hashable, Sendable {
        /// Another `change` follows; a handler that changes a value each time causes an endless loop.
        case announced
        /// Only the attributes' own events are sent, as in iStructure and Backbone 0.5.3.
        case seed
    }

    /// The host, which a client's host selection may replace; nil if `path` is an absolute URL.
    public var host: EndpointHost?
    /// The path of the collection; a model's path is this path, a slash and its encoded identifier.
    public var path: String
    /// The attribute that identifies a model on the server.
    public var idAttribute: String = "id"
    /// The default attributes of a new model.
    public var defaults: [String: JSONEntity] = [:]
    /// The events for a `set` in a handler of `change`; by default, another `change` follows.
    public var nestedChanges: NestedChanges = .announced
    /// Returns the reasons for rejecting attributes, in words for the user; an empty array accepts the attributes.
    ///
    /// The arguments are the attributes to set, with missing entities for those to remove, and the current attributes.
    /// A silent `set` isn't validated.
    public var validate: @Sendable (_ changes: [String: JSONEntity], _ current: [String: JSONEntity]) -> [String] = {
        _, _ in []
    }
    /// Returns a model's attributes from a response, which is an object by default.
    ///
    /// It runs on the thread on which the response arrives, not on the main thread.
    public var parse: @Sendable (_ answer: JSONEntity) -> JSONEntity = { $0 }
    /// Returns the list of models from the response to a collection's fetch, as an array of values for `parse`.
    public var parseList: @Sendable (_ answer: JSONEntity) -> JSONEntity = { $0 }
    /// Returns a path or absolute URL for a verb, or nil for the usual path.
    public var pathFor: @Sendable (_ verb: ModelSyncVerb, _ model: Model) -> String? = { _, _ in nil }

    /// Creates a schema.
    public init(host: EndpointHost? = nil, path: String = "") { (self.host, self.path) = (host, path) }
}
