/// The client's handlers for the details of one exchange.
final class ExchangeHooks: Sendable {
    /// Called once, when the exchange has ended and before its reader learns about it.
    let measured: @Sendable (ExchangeMetrics) -> Void

    init(measured: @escaping @Sendable (ExchangeMetrics) -> Void) { self.measured = measured }
}
