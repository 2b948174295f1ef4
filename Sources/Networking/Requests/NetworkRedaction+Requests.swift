extension NetworkRedaction {
    /// Returns a URL as a string, with user information and secret values of query and fragment replaced.
    public func redact(_ url: HTTPURL) -> String {
        var text = url.scheme.rawValue + "://"
        if url.userInfo != nil { text += placeholder + "@" }
        text += url.authority + url.path
        if let query = url.query { text += "?" + redact(query: query) }
        if let fragment = url.fragment { text += "#" + redact(query: fragment) }
        return text
    }

    /// Returns the parts of a request that can be displayed.
    public func redact(_ request: NetworkRequest) -> RedactedRequest {
        RedactedRequest(method: request.method, url: redact(request.url), headers: redact(request.headers))
    }
}
