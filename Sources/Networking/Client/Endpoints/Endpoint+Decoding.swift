internal import AshlarCore
public import Foundation

extension Endpoint where Output: Decodable {
    /// Decodes the JSON body in the client's format; see ``JSONFormat``.
    ///
    /// - Throws: `.decodingFailed` with the JSON path of the mismatch, or `.invalidJSON`.
    public func decode(_ response: NetworkResponse) throws(NetworkError) -> Output {
        try response.decode(Output.self)
    }
}

extension Endpoint where Output == String {
    /// Returns the body as UTF-8 text.
    ///
    /// - Throws: `.invalidText` with the offset of the first invalid byte.
    public func decode(_ response: NetworkResponse) throws(NetworkError) -> Output { try response.text() }
}

extension Endpoint where Output == [UInt8] {
    /// Returns the bytes of the body.
    public func decode(_ response: NetworkResponse) throws(NetworkError) -> Output { response.bytes }
}

extension Endpoint where Output == Data {
    /// Returns the bytes of the body; they aren't decoded as JSON, although `Data` is `Decodable`.
    public func decode(_ response: NetworkResponse) throws(NetworkError) -> Output { Data(response.bytes) }
}

extension Endpoint where Output == Void {
    /// Ignores the body.
    public func decode(_ response: NetworkResponse) throws(NetworkError) -> Output { () }
}

extension Endpoint where Output == NetworkResponse {
    /// Returns the whole response.
    public func decode(_ response: NetworkResponse) throws(NetworkError) -> Output { response }
}

extension NetworkResponse {
    /// Decodes the JSON body in the client's format; an empty body, as that of a 204, is nil for an optional type.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The value.
    /// - Throws: `.decodingFailed` with the JSON path of the mismatch, or `.invalidJSON`.
    public func decode<T: Decodable>(_ type: T.Type) throws(NetworkError) -> T {
        if bytes.isEmpty {
            if let optional = type as? any ExpressibleByNilLiteral.Type, let none = optional.init(nilLiteral: ()) as? T
            {
                return none
            }
            throw described(NetworkError(.invalidJSON, "the response has no body", phase: .decode))
        }
        let json = try json()
        do {
            return try json.decode(type)
        } catch {
            throw described(error)
        }
    }

    /// Parses the body as JSON.
    ///
    /// - Parameter limits: Limits on depth and size.
    /// - Returns: The root.
    /// - Throws: `.invalidJSON` with the position of the error.
    public func json(limits: JSONLimits = .init()) throws(NetworkError) -> JSONEntity {
        do throws(NetworkError) {
            return try JSONEntity(parsing: bytes, limits: limits).formatted(jsonFormat)
        } catch {
            var error = described(error)
            error.phase = .decode
            throw error
        }
    }

    /// Returns the body as UTF-8 text.
    ///
    /// - Parameter repairing: Whether invalid bytes become U+FFFD instead of an error.
    /// - Returns: The text.
    /// - Throws: `.invalidText` with the offset of the first invalid byte.
    public func text(repairing: Bool = false) throws(NetworkError) -> String {
        if repairing { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var error = described(NetworkError(.invalidText, "the body is not UTF-8", phase: .decode))
        error.offset = UTF8Validation.firstInvalid(in: bytes)
        throw error
    }

    /// Returns an error with the details of the response added.
    func described(_ error: NetworkError) -> NetworkError {
        var error = error
        error.status = status
        error.headers = NetworkRedaction.standard.redact(headers)
        error.history = history.map { NetworkRedaction.standard.redact($0) }
        error.bodyPrefix = Array(bytes.prefix(NetworkError.bodyPrefixLimit))
        return error
    }
}
