internal import CAshlarLogging

#if os(iOS) || os(tvOS) || os(visionOS)
    internal import Foundation
#endif

/// The events of an app that matter to its log, with the names of UIKit's notifications, because the module doesn't link
/// UIKit.
enum AppEvent: String, CaseIterable {
    case entersBackground = "UIApplicationDidEnterBackgroundNotification"
    case entersForeground = "UIApplicationWillEnterForegroundNotification"
    /// The device was unlocked for the first time since it started, so that the folder can be used.
    case protectedDataIsAvailable = "UIApplicationProtectedDataDidBecomeAvailable"
}

extension LogPipeline {
    /// Receives the events of the app from its system, if there are any.
    func observeApp() {
        #if os(iOS) || os(tvOS) || os(visionOS)
            for event in AppEvent.allCases {
                let name = Notification.Name(event.rawValue)
                _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                    LogPipeline.shared.handle(event)
                }
            }
        #endif
    }

    func handle(_ event: AppEvent) {
        guard ashlar_log_is_forked() == 0 else { return }
        switch event {
        case .entersBackground: settings.store?.withRun { $0.note(.background) }
        case .entersForeground: settings.store?.withRun { $0.note(.foreground) }
        case .protectedDataIsAvailable: reopen()
        }
    }

    /// Tries the folder again if the log is in memory because the folder couldn't be used.
    private func reopen() {
        let current = control.withLock { $0.report.isFallback && !$0.isShutDown ? $0.configuration : nil }
        guard var configuration = current else { return }
        // The app may have changed these since its start.
        configuration.isEnabled = table.isEnabled
        configuration.thresholds = table.thresholds
        configuration.format = format
        configuration.readsEnvironment = false
        _ = start(configuration)
    }
}
