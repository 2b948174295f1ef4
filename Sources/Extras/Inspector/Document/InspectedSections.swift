/// A run of an app and its log.
struct InspectedRun: Codable, Sendable {
    /// The number in the list of runs, from 1 for the newest.
    let number: Int
    /// In microseconds since 1970.
    let startedAt: Int64
    let application: String?
    let processID: Int32
    let outcome: String
    let lostLines: Int
    /// The number of lines at the start that aren't in the document.
    let omittedLines: Int
    /// The contexts, to which lines refer by number.
    let contexts: [String]
    let lines: [InspectedLine]
}

/// A line of a log; an array of four elements in JSON.
struct InspectedLine: Codable, Sendable {
    /// In microseconds since 1970.
    let time: Int64
    /// The number of the level; -1 for a line in an unknown format.
    let level: Int
    let context: Int
    let text: String

    init(time: Int64, level: Int, context: Int, text: String) {
        self.time = time
        self.level = level
        self.context = context
        self.text = text
    }

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        time = try container.decode(Int64.self)
        level = try container.decode(Int.self)
        context = try container.decode(Int.self)
        text = try container.decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(time)
        try container.encode(level)
        try container.encode(context)
        try container.encode(text)
    }
}

/// A value of a configuration with its origin.
struct InspectedValue: Codable, Sendable {
    struct Entry: Codable, Sendable {
        let text: String
        let location: String
        let layer: String
    }

    let key: String
    /// The text in a line; a list has its number of values only.
    let text: String
    /// A list, a dictionary or a long text in full, as JSON without secrets; nil if `text` is the whole value.
    var full: String?
    let isSecret: Bool
    let origin: Entry?
    /// The entries that the value was merged from, and those that it overrides, the strongest first.
    let merged: [Entry]
    let overridden: [Entry]
}

/// The coverage of strings by language and brand.
struct InspectedStrings: Codable, Sendable {
    struct Language: Codable, Sendable {
        let tag: String
        /// The wider languages, whose texts this one inherits; nil in an older document.
        var fallbacks: [String]?
        /// In the order of the brands.
        let cells: [Cell]
    }

    struct Cell: Codable, Sendable {
        let total: Int
        /// The missing keys, as `table: key`.
        let missing: [String]
    }

    struct Key: Codable, Sendable {
        let table: String
        let key: String
        /// The own texts of each language, and in it of each brand; nil for a text that is inherited or missing.
        let texts: [String?]
    }

    let base: String
    /// The brands; the first is empty, for the tree itself.
    let brands: [String]
    let languages: [Language]
    /// The translatable keys; nil in an older document, which has the missing ones only.
    var keys: [Key]?
}

/// A canonical host with its environments.
struct InspectedHost: Codable, Sendable {
    struct Environment: Codable, Sendable {
        let key: String
        let host: String
        let isSelected: Bool
    }

    let host: String
    let target: String
    let environments: [Environment]
}

/// A route; their order is the order in which they are tried.
struct InspectedRoute: Codable, Sendable {
    let pattern: String
    let name: String?
    let location: String?
}

/// A service and the services that it needs.
struct InspectedService: Codable, Sendable {
    let name: String
    let state: String
    let needs: [String]
}

/// An event.
struct InspectedEvent: Codable, Sendable {
    /// The number of the event, from 1.
    var number: Int
    let name: String
    /// In microseconds since 1970.
    let time: Int64?
    let payload: String?
    let source: String?
    let location: String?
}

/// What the page of a running app needs to follow it.
struct InspectedState: Codable, Sendable {
    /// The state that the page has.
    let cursor: String
    /// The maximum numbers of lines, requests and events on the page.
    let lineLimit: Int
    let requestLimit: Int
    let eventLimit: Int
    /// Whether exchanges are recorded with their bodies.
    let hasRecorder: Bool
}
