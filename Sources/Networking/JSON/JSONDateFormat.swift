import Foundation

/// The format of dates in a JSON document.
public enum JSONDateFormat: Hashable, Sendable {
    /// Strings such as `2026-11-20T13:19:38Z` or `2026-11-20T14:19:38.25+01:00` (RFC 3339).
    case rfc3339
    /// Numbers of seconds since 1970-01-01T00:00:00Z.
    case secondsSince1970
    /// Numbers of milliseconds since 1970-01-01T00:00:00Z.
    case millisecondsSince1970
    /// Numbers of seconds since 2001-01-01T00:00:00Z, the default of `JSONEncoder`.
    case secondsSince2001
}
