import AshlarOriginals
import Testing

extension Samples {
    @Suite struct FTToolBoxSamples {
        private let folder: SampleFolder

        init() throws { folder = try SampleFolder() }

        /// The sample of the initialization.
        private struct AppDelegate {
            let resources: SampleFolder
            let logs: SampleFolder

            func application(_ application: String, didFinishLaunchingWithOptions launchOptions: [String: String])
                -> Bool
            {
                FTCustomization.FTinitializeCustomization(path: resources.path)
                FTToolBox.FTinitializeLog(true, atLevel: FT_DEBUGGING, folder: logs.path)
                return true
            }
        }

        @Test("General usage: the app delegate initializes both classes, with mycomp in Info.plist")
        func appDelegate() throws {
            endLog()  // The lines of other samples.
            defer { endLog() }
            let resources = try SampleFolder([
                "Info.plist": propertyList("<key>FTCustomizationString</key><string>mycomp</string>"),
                "mycomp.lproj/Localizable.strings": #""Company" = "My company";"#,
            ])
            let delegate = AppDelegate(resources: resources, logs: folder)
            #expect(delegate.application("app", didFinishLaunchingWithOptions: [:]))
            #expect(FTCustomString("Company") == "My company")
            FT_LOGG(FT_DEBUGGING, "shown")
            FT_LOGG(FT_ANALYTIC, "hidden")
            #expect(FTToolBox.FTgetLogAsString() == "FT_DEBUGGING(6):: FTToolBoxSamples, appDelegate:: shown\n")
        }

        @Test("FT_LOGG: the documented output, with the class and the method")
        func output() {
            defer { endLog() }
            FTToolBox.FTinitializeLog(true, atLevel: FT_DEBUGGING, folder: folder.path)
            FTAsyncRequest.get()
            #expect(
                FTToolBox.FTgetLogAsString()
                    == "FT_DEBUGGING(6):: FTAsyncRequest, get:: URL = http://www.4gsecure.fr/test.php\n")
        }

        @Test("FT_LOGG: several arguments, and a class")
        func arguments() {
            defer { endLog() }
            FTToolBox.FTinitializeLog(true, atLevel: FT_VERBOSE, folder: folder.path)
            FT_LOGG(FT_ERROR, "%@: %d of %d, %.1f%%", "part", 3, 4, 75.0, in: FTAsyncRequest.self)
            #expect(FTToolBox.FTgetLogAsString() == "FT_ERROR(2):: FTAsyncRequest, arguments:: part: 3 of 4, 75.0%\n")
        }

        @Test("debug_flag NO removes all logging until it is YES again")
        func debugFlag() {
            defer { endLog() }
            FTToolBox.FTinitializeLog(false, atLevel: FT_VERBOSE, folder: folder.path)
            FT_LOGG(FT_UNRECOVERABLE, "hidden")
            #expect(FTToolBox.FTgetLogAsString().isEmpty)
            FTToolBox.FTinitializeLog(true, atLevel: FT_VERBOSE, folder: folder.path)
            FT_LOGG(FT_UNRECOVERABLE, "shown")
            #expect(FTToolBox.FTgetLogAsString() == "FT_UNRECOVERABLE(0):: FTToolBoxSamples, debugFlag:: shown\n")
        }

        @Test("At FT_WARNING only the levels 0 to 3 are logged; FTsetLogSeverity changes the threshold")
        func severity() {
            defer { endLog() }
            FTToolBox.FTinitializeLog(true, atLevel: FT_WARNING, folder: folder.path)
            let levels = [
                FT_UNRECOVERABLE, FT_CRITICAL, FT_ERROR, FT_WARNING, FT_INFORMATION, FT_LOGGING, FT_DEBUGGING,
                FT_ANALYTIC,
                FT_VERBOSE,
            ]
            func logged() -> [String] {
                FTToolBox.FTgetLogAsString().split(separator: "\n").map { String($0.prefix { $0 != ":" }) }
            }
            for level in levels { FT_LOGG(level, "x") }
            #expect(logged() == ["FT_UNRECOVERABLE(0)", "FT_CRITICAL(1)", "FT_ERROR(2)", "FT_WARNING(3)"])
            #expect(FTToolBox.FTsetLogSeverity(FT_VERBOSE) == "FT_VERBOSE")
            for level in levels { FT_LOGG(level, "x") }
            #expect(logged().count == 4 + 9)
        }

        @Test("FTgetLogAsString is the log of this run, FTgetCrashLogAsString that of the prior run")
        func crashLog() {
            defer { endLog() }
            FTToolBox.FTinitializeLog(true, atLevel: FT_DEBUGGING, folder: folder.path)
            #expect(FTToolBox.FTgetCrashLogAsString().isEmpty)
            FT_LOGG(FT_CRITICAL, "first run")
            LogSystem.shutdown()
            FTToolBox.FTinitializeLog(true, atLevel: FT_DEBUGGING, folder: folder.path)
            FT_LOGG(FT_CRITICAL, "second run")
            let start = "FT_CRITICAL(1):: FTToolBoxSamples, crashLog:: "
            #expect(FTToolBox.FTgetLogAsString() == start + "second run\n")
            #expect(FTToolBox.FTgetCrashLogAsString() == start + "first run\n")
        }
    }
}
