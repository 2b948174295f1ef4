import AshlarCustomization
import AshlarNetworking

/// Adds the current languages to requests as `Accept-Language`.
///
/// The languages are those of the customization at the time of the request: the selected language, its parents, and the
/// base language, with decreasing quality values. If a request already has the field, it isn't changed.
struct AcceptLanguage: NetworkMiddleware {
    let center: CustomizationCenter

    func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        var request = request
        if request.headers["Accept-Language"] == nil {
            request.headers["Accept-Language"] = Self.value(for: center.current)
        }
        return try await next(request)
    }

    /// Returns the value of the field, such as `fr-CA, fr;q=0.9, en;q=0.8`.
    static func value(for strings: Customization) -> String {
        var tags: [String] = []
        for language in [strings.overrideLanguage ?? strings.deviceLanguage, strings.baseLanguage] {
            let parts = language.description.split(separator: "-")
            for count in stride(from: parts.count, to: 0, by: -1) {
                let tag = parts[..<count].joined(separator: "-")
                if !tags.contains(tag) { tags.append(tag) }
            }
        }
        return tags.enumerated().map { at, tag in
            at == 0 ? tag : "\(tag);q=0.\(max(1, 10 - at))"
        }.joined(separator: ", ")
    }
}
