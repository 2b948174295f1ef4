#if canImport(SwiftUI) && DEBUG
    import AshlarNetworking
    import SwiftUI

    /// The views of this module in Xcode's canvas.
    struct InterfacePreviews: PreviewProvider {
        static var previews: some View {
            let app = Self.app
            TableList([ListSection("Notes", rows: [ListRow("Buy milk", subtitle: "today", isTicked: true)])])
                .ashlar(app)
            HostPicker().ashlar(app)
            DebugPanel(DebugReport(app.app)).ashlar(app).preferredColorScheme(.dark)
        }

        /// An app without files and network, which stores nothing.
        private static var app: ObservableApp {
            var configuration = AshlarApp.Configuration(log: nil)
            configuration.storage = .memory
            configuration.transport = StubTransport([:])
            return ObservableApp(AshlarApp(configuration))
        }
    }
#endif
