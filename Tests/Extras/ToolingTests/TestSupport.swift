import AshlarCustomization
import AshlarTestSupport
import Foundation

/// Whether the tests run with their full counts (`ASHLAR_SOAK=1`).
let soaks = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"

extension CustomizationMessage {
    /// The message as a value of a table.
    var value: CustomizationValue { .message(self) }
}
