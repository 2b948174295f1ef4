internal import AshlarCore
internal import AshlarNetworking
import Foundation

/// Reads the parts of HAR 1.2 that are needed to answer requests.
struct HARReader {
    let file: String?

    func read(_ json: [UInt8]) throws(NetworkError) -> (entries: [HAREntry], warnings: [String]) {
        let root: JSONEntity
        do {
            root = try JSONEntity(parsing: json, limits: JSONLimits(bytes: HARArchive.largest))
        } catch {
            var failure = NetworkError(.invalidArchive, error.message, underlying: error)
            failure.offset = error.offset
            failure.line = error.line
            failure.column = error.column
            failure.path = error.path
            failure.file = file
            failure.limit = error.limit
            throw failure
        }
        let log = root["log"]
        guard log.isObject else { throw failure(root, "expected an object \"log\", found \(log.kindName)") }
        let version = log["version"]
        guard ["1.1", "1.2"].contains(version.string("1.2")), !version.isValid || version.string() != nil else {
            throw failure(version, "expected the version \"1.2\", found \(version)")
        }
        guard log["entries"].isArray else {
            throw failure(log, "expected an array \"entries\", found \(log["entries"].kindName)")
        }
        var entries: [HAREntry] = []
        entries.reserveCapacity(log["entries"].count)
        var warnings: [String] = []
        for entry in log["entries"] {
            if let reason = reasonToOmit(entry) {
                let line = entry.position.map { "line \($0.line): " } ?? ""
                warnings.append(line + "omitted an entry " + reason)
            } else {
                entries.append(try read(entry: entry))
            }
        }
        return (entries, warnings)
    }

    /// Returns why an entry of a browser isn't an exchange over HTTP, or nil.
    private func reasonToOmit(_ entry: JSONEntity) -> String? {
        let (response, url) = (entry["response"], entry["request"]["url"].string(""))
        let scheme = url.prefix { $0 != ":" }.lowercased()
        if url.contains(":"), scheme != "http", scheme != "https" {
            return "with a URL of the scheme \(scheme.debugDescription)"
        }
        // Browsers write the status 0 or -1 for requests that were blocked or cancelled.
        if let status = response["status"].int() { return status <= 0 ? "without a response (status \(status))" : nil }
        return response.isNull ? "without a response" : nil
    }

    private func read(entry: JSONEntity) throws(NetworkError) -> HAREntry {
        let (request, response) = (entry["request"], entry["response"])
        guard request.isObject else {
            throw failure(entry, "expected an object \"request\", found \(request.kindName)")
        }
        guard response.isObject else {
            throw failure(entry, "expected an object \"response\", found \(response.kindName)")
        }
        guard let status = response["status"].int(), (100...999).contains(status) else {
            throw failure(response["status"], in: response, "expected a \"status\" from 100 to 999")
        }
        let content = response["content"]
        var result = HAREntry(
            started: entry["startedDateTime"].date(),
            // A fraction of milliseconds can be slightly less than its microseconds.
            duration: .microseconds(Int64((max(0, min(entry["time"].double() ?? 0, 1e12)) * 1_000).rounded())),
            request: try read(request: request),
            response: HARResponse(
                status: status, headers: try headers(of: response),
                body: try body(content, encoding: content["encoding"])))
        if !result.response.headers.contains("Content-Type"), let type = content["mimeType"].string(), !type.isEmpty {
            result.response.headers.append("Content-Type", type)
        }
        result.timings = HARTimings(entry["timings"])
        result.line = entry.position?.line
        return result
    }

    private func read(request: JSONEntity) throws(NetworkError) -> HARRequest {
        guard let method = request["method"].string(), !method.isEmpty else {
            throw failure(request["method"], in: request, "expected a string \"method\"")
        }
        guard let text = request["url"].string() else {
            throw failure(request["url"], in: request, "expected a string \"url\"")
        }
        let url: HTTPURL
        do {
            url = try HTTPURL(text)
        } catch {
            throw failure(request["url"], "expected an http(s) URL: \(error.message)", error)
        }
        let post = request["postData"]
        var bytes = try body(post, encoding: post["_encoding"])
        if bytes.isEmpty, !post["params"].isEmpty {
            let query = HTTPQuery(post["params"].map { HTTPQuery.Item($0["name"].string(""), $0["value"].string("")) })
            bytes = Array(query.formText.utf8)
        }
        var headers = try headers(of: request)
        if !headers.contains("Content-Type"), let type = post["mimeType"].string(), !type.isEmpty {
            headers.append("Content-Type", type)
        }
        return HARRequest(HTTPMethod(rawValue: method), url, headers: headers, body: bytes)
    }

    private func body(_ content: JSONEntity, encoding: JSONEntity) throws(NetworkError) -> [UInt8] {
        let text = content["text"]
        guard text.isValid, !text.isNull else { return [] }
        guard let string = text.string() else {
            throw failure(text, "expected the body as a string, found \(text.kindName)")
        }
        switch encoding.string("") {
        case "": return Array(string.utf8)
        case "base64":
            guard let data = Base64.decode(string.utf8) else { throw failure(text, "expected Base64") }
            return data
        default: throw failure(encoding, "expected the encoding \"base64\" or none, found \(encoding)")
        }
    }

    private func headers(of message: JSONEntity) throws(NetworkError) -> HTTPHeaders {
        var headers: HTTPHeaders = [:]
        for field in message["headers"] {
            guard let name = field["name"].string(), let value = field["value"].string() else {
                throw failure(field, "expected a field with the strings \"name\" and \"value\"")
            }
            // Pseudo-fields of HTTP/2, which browsers list among the fields.
            if !name.hasPrefix(":") { headers.append(name, value) }
        }
        return headers
    }

    private func failure(
        _ place: JSONEntity, in parent: JSONEntity? = nil, _ expected: String, _ underlying: (any Error)? = nil
    ) -> NetworkError {
        var message = expected
        if parent != nil { message += ", found " + (place.isValid ? place.text() : "none") }
        var error = NetworkError(.invalidArchive, message, underlying: underlying)
        error.path = place.path
        error.file = file
        let position = (place.isValid ? place : parent ?? place).position
        error.offset = position?.offset
        error.line = position?.line
        error.column = position?.column
        return error
    }
}
