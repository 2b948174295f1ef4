/// The parts of a response that arrive with its end; most responses have none.
final class ExchangeEnd: Sendable {
    let trailers: HTTPHeaders
    let metrics: ExchangeMetrics?

    init(trailers: HTTPHeaders, metrics: ExchangeMetrics?) { (self.trailers, self.metrics) = (trailers, metrics) }
}

/// A source of a response that reports the parts that arrive with its end.
protocol ExchangeEndSource: AnyObject, Sendable {
    /// The parts, or nil before the end and if there are none.
    var end: ExchangeEnd? { get }
}
