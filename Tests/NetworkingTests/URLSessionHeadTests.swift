import Foundation
import Testing

@testable import AshlarNetworking

/// The translation of a session's heads and errors, which needs no session.
@Suite struct URLSessionHeadTests {
    @Test("Fields are sorted by name, and joined cookies are split")
    func head() {
        let head = URLSessionHead.head(
            200, ["X-B": "2", "X-A": "1, 3", "set-cookie": "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=2,c=\"3,4\""])
        #expect(head.status == 200)
        #expect(head.headers.map(\.name) == ["X-A", "X-B", "set-cookie", "set-cookie", "set-cookie"])
        #expect(
            head.headers.values(for: "Set-Cookie") == [
                "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2", "c=\"3,4\"",
            ])
        #expect(head.headers["X-A"] == "1, 3")
    }

    @Test(
        "Limits of a head apply to its fields and bytes",
        arguments: [(200, 320, nil), (128, 512, nil), (128, 513, 65_536), (201, 8, 200), (0, 0, nil)]
            as [(Int, Int, Int?)])
    func limits(fields: Int, bytes: Int, limit: Int?) {
        // Each field has a colon, a space and the end of its line.
        let value = String(repeating: "c", count: max(bytes - 6, 0))
        let head = ResponseHead(status: 200, headers: HTTPHeaders((0..<fields).map { _ in HTTPField("ab", value) }))
        let error = URLSessionHead.defect(of: head)
        #expect(error?.code == limit.map { _ in .badResponse })
        #expect(error?.limit == limit)
    }

    @Test(
        "Errors of a session have the codes of this module",
        arguments: [
            (.cancelled, false, .cancelled, .wait), (.timedOut, true, .timedOut, .receive),
            (.notConnectedToInternet, false, .notConnected, .connect), (.badURL, false, .invalidURL, .prepare),
            (.dataLengthExceedsMaximum, false, .unsupported, .prepare),
            (.dataLengthExceedsMaximum, true, .bodyTooLarge, .receive),
            (.cannotFindHost, false, .hostNotFound, .resolve),
            (.cannotConnectToHost, false, .cannotConnect, .connect),
            (.networkConnectionLost, false, .connectionLost, .wait),
            (.networkConnectionLost, true, .truncated, .receive),
            (.cannotParseResponse, false, .badResponse, .wait),
            (.cannotDecodeContentData, true, .corrupted, .receive),
            (.secureConnectionFailed, false, .tlsFailed, .tls),
            (.serverCertificateUntrusted, false, .certificateUntrusted, .tls),
            (.noPermissionsToReadFile, false, .unknown, .wait),
        ] as [(URLError.Code, Bool, NetworkError.Code, NetworkPhase)])
    func errors(system: URLError.Code, hasHead: Bool, code: NetworkError.Code, phase: NetworkPhase) throws {
        let url = try #require(URL(string: "https://h.example/?token=secret"))
        let error = URLSessionHead.error(
            URLError(system, userInfo: [NSURLErrorFailingURLErrorKey: url]), hasHead: hasHead)
        #expect(error.code == code)
        #expect(error.phase == phase)
        let underlying = try #require(error.underlying as? URLError)
        #expect(underlying.code == system && underlying.userInfo.isEmpty, "the system's error contains the whole URL")
    }

    @Test("Other errors are those of a lost connection, and the module's own pass unchanged")
    func others() {
        struct Other: Error {}
        #expect(URLSessionHead.error(Other(), hasHead: false).code == .connectionLost)
        #expect(URLSessionHead.error(Other(), hasHead: true).code == .truncated)
        let own = NetworkError(.bodyTooLarge, "long", phase: .receive)
        #expect(URLSessionHead.error(own, hasHead: false).message == "long")
    }
}
