/// The client's handlers for the details of one exchange.
final class ExchangeHooks: Sendable {
    /// Called for each interim head, before the response is returned.
    let interim: @Sendable (ResponseHead) -> Void
    /// Called once, when the reader of the response learns about the end of the exchange.
    let measured: @Sendable (ExchangeMetrics) -> Void

    init(
        interim: @escaping @Sendable (ResponseHead) -> Void, measured: @escaping @Sendable (ExchangeMetrics) -> Void
    ) {
        (self.interim, self.measured) = (interim, measured)
    }
}
