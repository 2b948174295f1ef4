// The codes of patterns, paths and navigations. Pattern codes carry the pattern as `subject` and an `offset` in it;
// path codes carry the URL as it was given.

extension EventBusError.Code {
    /// A route pattern is empty.
    public static let patternEmpty = Self("patternEmpty")
    /// A route pattern is longer than ``RoutePattern/maximumLength``.
    public static let patternTooLong = Self("patternTooLong")
    /// The path of a route pattern doesn't begin with `/`, with some choice of its optional groups.
    public static let patternMissingSlash = Self("patternMissingSlash")
    /// A `:` or `*` is followed by no name.
    public static let patternEmptyName = Self("patternEmptyName")
    /// A parameter name occurs twice in one pattern.
    public static let patternRepeatedName = Self("patternRepeatedName")
    /// One segment has two parameters.
    public static let patternAdjacentParameters = Self("patternAdjacentParameters")
    /// Something follows a catch-all.
    public static let patternCatchAllNotLast = Self("patternCatchAllNotLast")
    /// A catch-all shares its segment with text.
    public static let patternCatchAllNotAlone = Self("patternCatchAllNotAlone")
    /// A brace has no partner.
    public static let patternUnbalancedGroup = Self("patternUnbalancedGroup")
    /// An optional group holds nothing.
    public static let patternEmptyGroup = Self("patternEmptyGroup")
    /// A pattern has more optional groups than ``RoutePattern/maximumGroups``.
    public static let patternTooManyGroups = Self("patternTooManyGroups")
    /// A parameter's type is unknown or not written to its end.
    public static let patternUnknownType = Self("patternUnknownType")
    /// A pattern ends with a `\` that escapes nothing.
    public static let patternDanglingEscape = Self("patternDanglingEscape")
    /// A `?` or `#` occurs in a pattern without a `\` before it.
    public static let patternReservedCharacter = Self("patternReservedCharacter")
    /// A percent-escape occurs in a pattern, which is written decoded.
    public static let patternPercentEncoded = Self("patternPercentEncoded")
    /// The host of a pattern isn't plain text.
    public static let patternMalformedHost = Self("patternMalformedHost")
    /// A pattern has more segments than its limits allow.
    public static let patternTooManySegments = Self("patternTooManySegments")
    /// A pattern has more parameters than its limits allow.
    public static let patternTooManyParameters = Self("patternTooManyParameters")
    /// Two choices of optional groups of one pattern match the same paths under different names.
    public static let patternAmbiguousGroups = Self("patternAmbiguousGroups")
    /// A pattern matches exactly the paths of one that is registered; `found` is that one.
    public static let routeConflict = Self("routeConflict")

    /// A path or URL begins neither with `/` nor with a scheme and `://`.
    public static let pathNotAbsolute = Self("pathNotAbsolute")
    /// A path, or what surrounds it in a URL, is longer than the router's limits allow.
    public static let pathTooLong = Self("pathTooLong")
    /// A path has more segments than the router's limits allow.
    public static let pathTooManySegments = Self("pathTooManySegments")
    /// A URL has a host, a port or user information that RFC 3986 forbids.
    public static let invalidAuthority = Self("invalidAuthority")
    /// A `%` isn't followed by two hexadecimal digits.
    public static let invalidPercentEncoding = Self("invalidPercentEncoding")
    /// Percent-escapes spell bytes that aren't UTF-8.
    public static let invalidUTF8 = Self("invalidUTF8")
    /// A match would visit more places of the route tree than the router's limits allow.
    public static let matchTooCostly = Self("matchTooCostly")
    /// No route matches the path.
    public static let routeNotFound = Self("routeNotFound")

    /// A path is to be built without a value that the pattern needs; `expected` is the parameter's name.
    public static let parameterMissing = Self("parameterMissing")
    /// A path is to be built with a value for a name that the pattern doesn't have.
    public static let parameterUnknown = Self("parameterUnknown")
    /// A parameter's value is empty, or not of the parameter's type, or could not be read back from the path.
    public static let parameterInvalid = Self("parameterInvalid")
    /// A path was built that another route would answer; `found` is that route.
    public static let routeShadowed = Self("routeShadowed")

    /// A guard refused a navigation; `underlying` is the guard's reason if it gave an error.
    public static let navigationDenied = Self("navigationDenied")
    /// Redirects came back to a place in their own trail.
    public static let redirectLoop = Self("redirectLoop")
    /// More redirects, or more navigations inside navigations, than ``Router/maximumRedirects``.
    public static let tooManyRedirects = Self("tooManyRedirects")
}
