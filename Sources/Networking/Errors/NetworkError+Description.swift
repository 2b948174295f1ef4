extension NetworkError: CustomStringConvertible {
    /// The code, the details and the redacted request in one line.
    public var description: String {
        var text = code.rawValue
        if !message.isEmpty { text += ": " + message }
        if let status { text += " (status \(status))" }
        if let key { text += " [\(key)]" }
        if let path { text += " at \(path)" }
        if let file { text += " in \(file)" }
        if let line { text += column.map { " line \(line), column \($0)" } ?? " line \(line)" }
        if let offset { text += " at byte \(offset)" }
        if !messages.isEmpty { text += " (" + messages.joined(separator: "; ") + ")" }
        if let phase { text += " while in phase \(phase)" }
        if let request { text += " — \(request)" }
        if attempts > 1 { text += " after \(attempts) attempts" }
        if !history.isEmpty { text += " via " + history.joined(separator: " → ") }
        return text
    }

    /// A sentence in English for the app's user, without technical details.
    ///
    /// The sentence depends only on `code`; to translate it, switch over `code`. If the server sent `messages` (422),
    /// they are returned instead.
    public var userMessage: String {
        if !messages.isEmpty { return messages.joined(separator: "\n") }
        switch code {
        case .cancelled: return "The request was cancelled."
        case .timedOut: return "The server took too long to answer."
        case .notConnected: return "There is no network connection."
        case .hostNotFound, .cannotConnect: return "The server cannot be reached."
        case .connectionLost, .truncated: return "The connection to the server was lost."
        case .tlsFailed, .certificateUntrusted, .insecureRedirect:
            return "A secure connection to the server cannot be made."
        case .unacceptableStatus:
            switch status ?? 0 {
            case 401, 403: return "You are not allowed to do that."
            case 404, 410: return "What you asked for does not exist."
            case 408, 429, 503: return "The server is busy; try again later."
            case 500...599: return "The server has a problem; try again later."
            default: return "The server refused the request."
            }
        case .fileFailed: return "A file could not be read or written."
        case .conflict: return "Someone else has changed this in the meantime."
        case .busy: return "This is still being worked on."
        default: return "The server's answer could not be used."
        }
    }
}
