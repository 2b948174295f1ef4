/// Requests in one line.
///
/// A path is appended to ``ClientConfiguration/base``. Each interpolated value stays within one segment. A `?` in a path
/// is escaped, so pass a query as `query`. A string that starts with `http://` or `https://` is a URL instead. `get` also
/// accepts a `String` that isn't a literal, by the rules of ``EndpointPath/init(_:)``; pass `EndpointPath(text)` to the others.
///
/// ```swift
/// struct Note: Codable, Sendable { var id: Int?; var title: String }
///
/// func rename(_ id: Int, _ title: String) async throws -> Note {
///     var configuration = ClientConfiguration()
///     configuration.base = "https://api.example.com/v2"
///     let client = NetworkClient(configuration)
///     var note = try await client.get("notes/\(id)", as: Note.self)
///     note.title = title
///     return try await client.put("notes/\(id)", note, as: Note.self)
/// }
/// ```
///
/// A response is decoded on the actor of the caller, so a type of the main actor needs no annotation. Call from a
/// `@concurrent` function to decode a large response elsewhere. A call in `async let` or a task group runs on no actor, so
/// the types of such calls are `nonisolated` in code that is on the main actor by default; a call in a `Task` isn't affected.
extension NetworkClient {
    /// Sends a GET and returns the complete response.
    ///
    /// - Parameters:
    ///   - path: A path below ``ClientConfiguration/base``, or a URL.
    ///   - query: The query, appended to that of the URL.
    ///   - headers: Fields in addition to the client's.
    /// - Returns: The head and body of the response.
    /// - Throws: The errors of ``send(_:)-(NetworkRequest)``, and `.invalidURL` for a path without a base.
    public func get(
        _ path: EndpointPath, query: HTTPQuery = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> NetworkResponse {
        try await send(request(.get, path, query: query, headers: headers))
    }

    /// Sends a GET and decodes the JSON of the response.
    ///
    /// - Parameters:
    ///   - path: A path below ``ClientConfiguration/base``, or a URL.
    ///   - query: The query, appended to that of the URL.
    ///   - headers: Fields in addition to the client's.
    ///   - type: The type to decode.
    /// - Returns: The decoded value.
    /// - Throws: `.decodingFailed`, or the errors of ``get(_:query:headers:)-(EndpointPath,_,_)``.
    public nonisolated(nonsending) func get<T: Decodable>(
        _ path: EndpointPath, query: HTTPQuery = [:], headers: HTTPHeaders = [:], as type: T.Type
    ) async throws(NetworkError) -> T {
        try await complete(request(.get, path, query: query, headers: headers), decoding: type)
    }

    /// Sends a GET to a path or URL in a string; see ``get(_:query:headers:)-(EndpointPath,_,_)``.
    @_disfavoredOverload
    public func get(
        _ path: String, query: HTTPQuery = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> NetworkResponse {
        try await get(EndpointPath(path), query: query, headers: headers)
    }

    /// Sends a GET to a path or URL in a string and decodes the JSON of the response; see
    /// ``get(_:query:headers:as:)-(EndpointPath,_,_,_)``.
    @_disfavoredOverload
    public nonisolated(nonsending) func get<T: Decodable>(
        _ path: String, query: HTTPQuery = [:], headers: HTTPHeaders = [:], as type: T.Type
    ) async throws(NetworkError) -> T {
        try await get(EndpointPath(path), query: query, headers: headers, as: type)
    }

    /// Sends a POST with a JSON body and returns the complete response.
    ///
    /// - Parameters:
    ///   - path: A path below ``ClientConfiguration/base``, or a URL.
    ///   - value: The value to encode.
    ///   - headers: Fields in addition to the client's.
    /// - Returns: The head and body of the response.
    /// - Throws: `.encodingFailed`, or the errors of ``get(_:query:headers:)-(EndpointPath,_,_)``.
    @discardableResult
    public func post(
        _ path: EndpointPath, _ value: some Encodable, headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> NetworkResponse {
        try await send(request(.post, path, headers: headers, body: json(value)))
    }

    /// Sends a POST with a JSON body and decodes the JSON of the response.
    ///
    /// - Parameters:
    ///   - path: A path below ``ClientConfiguration/base``, or a URL.
    ///   - value: The value to encode.
    ///   - headers: Fields in addition to the client's.
    ///   - type: The type to decode.
    /// - Returns: The decoded value.
    /// - Throws: `.encodingFailed`, `.decodingFailed`, or the errors of ``get(_:query:headers:)-(EndpointPath,_,_)``.
    public nonisolated(nonsending) func post<T: Decodable>(
        _ path: EndpointPath, _ value: some Encodable, headers: HTTPHeaders = [:], as type: T.Type
    ) async throws(NetworkError) -> T {
        try await complete(request(.post, path, headers: headers, body: json(value)), decoding: type)
    }

    /// Sends a PUT with a JSON body and returns the complete response.
    ///
    /// The parameters and errors are those of ``post(_:_:headers:)``.
    @discardableResult
    public func put(
        _ path: EndpointPath, _ value: some Encodable, headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> NetworkResponse {
        try await send(request(.put, path, headers: headers, body: json(value)))
    }

    /// Sends a PUT with a JSON body and decodes the JSON of the response.
    ///
    /// The parameters and errors are those of ``post(_:_:headers:as:)``.
    public nonisolated(nonsending) func put<T: Decodable>(
        _ path: EndpointPath, _ value: some Encodable, headers: HTTPHeaders = [:], as type: T.Type
    ) async throws(NetworkError) -> T {
        try await complete(request(.put, path, headers: headers, body: json(value)), decoding: type)
    }

    /// Sends a PATCH with a JSON body and returns the complete response.
    ///
    /// The parameters and errors are those of ``post(_:_:headers:)``.
    @discardableResult
    public func patch(
        _ path: EndpointPath, _ value: some Encodable, headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> NetworkResponse {
        try await send(request(.patch, path, headers: headers, body: json(value)))
    }

    /// Sends a PATCH with a JSON body and decodes the JSON of the response.
    ///
    /// The parameters and errors are those of ``post(_:_:headers:as:)``.
    public nonisolated(nonsending) func patch<T: Decodable>(
        _ path: EndpointPath, _ value: some Encodable, headers: HTTPHeaders = [:], as type: T.Type
    ) async throws(NetworkError) -> T {
        try await complete(request(.patch, path, headers: headers, body: json(value)), decoding: type)
    }

    /// Sends a DELETE and returns the complete response.
    ///
    /// - Parameters:
    ///   - path: A path below ``ClientConfiguration/base``, or a URL.
    ///   - query: The query, appended to that of the URL.
    ///   - headers: Fields in addition to the client's.
    /// - Returns: The head and body of the response.
    /// - Throws: The errors of ``send(_:)-(NetworkRequest)``, and `.invalidURL` for a path without a base.
    @discardableResult
    public func delete(
        _ path: EndpointPath, query: HTTPQuery = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> NetworkResponse {
        try await send(request(.delete, path, query: query, headers: headers))
    }

    private func json(_ value: some Encodable) -> RequestBody { .json(value, format: configuration.json) }

    private func request(
        _ method: HTTPMethod, _ path: EndpointPath, query: HTTPQuery = [:], headers: HTTPHeaders,
        body: RequestBody = .empty
    ) throws(NetworkError) -> NetworkRequest {
        var url: HTTPURL
        let base = path.isURL ? nil : configuration.base
        if path.isURL {
            try path.check()
            url = try HTTPURL(path.description)
        } else {
            guard let base else {
                throw NetworkError(
                    .invalidURL, "a path needs a base; set ClientConfiguration.base", phase: .prepare)
            }
            url = try base.baseURL()
            try url.append(path)
        }
        url.append(query)
        var request = NetworkRequest(method, url, headers: headers, body: body)
        request.canonicalHost = base?.canonical
        return request
    }

    private nonisolated(nonsending) func complete<T: Decodable>(
        _ request: NetworkRequest, decoding type: T.Type
    ) async throws(NetworkError) -> T {
        try await complete(request) { response throws(NetworkError) in try response.decode(type) }
    }
}
