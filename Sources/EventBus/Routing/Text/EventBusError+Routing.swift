// The codes of routes, paths and navigations. A pattern is written by a programmer, so the codes of malformed patterns
// only name the mistake in the message and have no constants. For codes of paths, `subject` is the URL as passed to the
// router.

extension EventBusError.Code {
    /// A pattern that matches exactly the paths of a registered pattern, which is in `found`.
    public static let routeConflict = Self("routeConflict")

    /// A path or URL that starts neither with `/` nor with a scheme and `://`.
    public static let pathNotAbsolute = Self("pathNotAbsolute")
    /// A path, or the rest of a URL, is longer than the limit.
    public static let pathTooLong = Self("pathTooLong")
    /// A path with more segments than the limit.
    package static let pathTooManySegments = Self("pathTooManySegments")
    /// A URL whose host, port or user information contains a byte that RFC 3986 forbids.
    public static let invalidAuthority = Self("invalidAuthority")
    /// A `%` without two hexadecimal digits.
    public static let invalidPercentEncoding = Self("invalidPercentEncoding")
    /// Percent-escapes that decode to bytes that aren't UTF-8.
    public static let invalidUTF8 = Self("invalidUTF8")
    /// A match would visit more nodes of the route tree than the limit.
    package static let matchTooCostly = Self("matchTooCostly")
    /// No route matches the path.
    public static let routeNotFound = Self("routeNotFound")

    /// A value that the pattern needs is missing when a path is built; `expected` is the parameter's name.
    public static let parameterMissing = Self("parameterMissing")
    /// A value for an unknown name when a path is built.
    package static let parameterUnknown = Self("parameterUnknown")
    /// A parameter's value is empty, has another type than the parameter, or couldn't be read from the path.
    public static let parameterInvalid = Self("parameterInvalid")
    /// Another route would match the built path; it is in `found`.
    public static let routeShadowed = Self("routeShadowed")

    /// A guard denied a navigation; `underlying` is the guard's reason if it is an error.
    public static let navigationDenied = Self("navigationDenied")
    /// Redirects return to a URL in their own trail.
    public static let redirectLoop = Self("redirectLoop")
    /// More than 16 redirects or nested navigations.
    public static let tooManyRedirects = Self("tooManyRedirects")
}
