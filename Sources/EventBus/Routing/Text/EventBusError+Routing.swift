// The codes of patterns, paths and navigations. A pattern is written by a programmer, so its codes only name the mistake in
// the message and have no public constants. For these codes, `subject` is the pattern and `offset` a position in
// it. For path codes, `subject` is the URL as passed to the router.

extension EventBusError.Code {
    /// A route pattern is empty.
    package static let patternEmpty = Self("patternEmpty")
    /// A route pattern is longer than 8,192 bytes.
    package static let patternTooLong = Self("patternTooLong")
    /// The path of a route pattern doesn't start with `/`, possibly only for some choices of its optional groups.
    package static let patternMissingSlash = Self("patternMissingSlash")
    /// A `:` or `*` without a name.
    package static let patternEmptyName = Self("patternEmptyName")
    /// A duplicate parameter name in a pattern.
    package static let patternRepeatedName = Self("patternRepeatedName")
    /// A segment with two parameters.
    package static let patternAdjacentParameters = Self("patternAdjacentParameters")
    /// Text after a catch-all.
    package static let patternCatchAllNotLast = Self("patternCatchAllNotLast")
    /// A catch-all with other text in its segment.
    package static let patternCatchAllNotAlone = Self("patternCatchAllNotAlone")
    /// An unbalanced brace.
    package static let patternUnbalancedGroup = Self("patternUnbalancedGroup")
    /// An empty optional group.
    package static let patternEmptyGroup = Self("patternEmptyGroup")
    /// A pattern with more than four optional groups.
    package static let patternTooManyGroups = Self("patternTooManyGroups")
    /// An unknown or unterminated parameter type.
    package static let patternUnknownType = Self("patternUnknownType")
    /// A `\` at the end of a pattern.
    package static let patternDanglingEscape = Self("patternDanglingEscape")
    /// A `?` or `#` in a pattern without a preceding `\`.
    package static let patternReservedCharacter = Self("patternReservedCharacter")
    /// A percent-escape in a pattern; patterns are written without percent-encoding.
    package static let patternPercentEncoded = Self("patternPercentEncoded")
    /// The host of a pattern isn't plain text.
    package static let patternMalformedHost = Self("patternMalformedHost")
    /// A pattern with more segments than the limit.
    package static let patternTooManySegments = Self("patternTooManySegments")
    /// A pattern with more parameters than the limit.
    package static let patternTooManyParameters = Self("patternTooManyParameters")
    /// Two choices of optional groups in a pattern that match the same paths with different names.
    package static let patternAmbiguousGroups = Self("patternAmbiguousGroups")
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
