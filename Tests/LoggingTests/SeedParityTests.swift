import AshlarLogging
import AshlarTestSupport
import Testing

/// The documented calls of the predecessors with their exact output.
@Suite struct SeedParityTests {
    // MARK: MyLogger

    @Test("MyLogger: the log of the blog's first example")
    func blogLogOne() {
        let system = TestSystem { $0.format = Self.dashes }
        let (view, helper) = (system.log("EditTaxViewController"), system.log("EntryFieldHelper"))
        view.debug("textFieldDidBeginEditing")
        view.indent(true)
        view.indent(false).debug("textFieldDidBeginEditing DONE")
        view.debug("textFieldShouldReturn")
        view.indent(true)
        helper.debug("findNextEntryFieldAsResponder:")
        helper.indent(true)
        view.debug("textViewDidBeginEditing")
        view.indent(true)
        view.indent(false).debug("textViewDidBeginEditing DONE")
        helper.indent(false).debug("findNextEntryFieldAsResponder: return: \(true)")
        view.indent(false).debug("textFieldShouldReturn DONE")
        #expect(
            system.live == """
                [DEBUG] EditTaxViewController - textFieldDidBeginEditing
                [DEBUG] EditTaxViewController - textFieldDidBeginEditing DONE
                [DEBUG] EditTaxViewController - textFieldShouldReturn
                --[DEBUG] EntryFieldHelper - findNextEntryFieldAsResponder:
                ----[DEBUG] EditTaxViewController - textViewDidBeginEditing
                ----[DEBUG] EditTaxViewController - textViewDidBeginEditing DONE
                --[DEBUG] EntryFieldHelper - findNextEntryFieldAsResponder: return: true
                [DEBUG] EditTaxViewController - textFieldShouldReturn DONE

                """)
    }

    @Test("MyLogger: the log of the blog's second example")
    func blogLogTwo() {
        let system = TestSystem { $0.format = Self.dashes }
        let (view, helper) = (system.log("EditTaxViewController"), system.log("EntryFieldHelper"))
        let responder =
            "<UITextView: 0x3d09bd0; frame = (20 143; 287 77); text = 'Test'; clipsToBounds = YES; opaque = NO; "
            + "autoresize = W; tag = 3; layer = <CALayer: 0x3d09db0>>"
        view.debug("textFieldDidBeginEditing")
        view.indent(true)
        view.indent(false).debug("textFieldDidBeginEditing DONE")
        view.debug("textFieldShouldReturn")
        view.indent(true)
        helper.debug("findNextEntryFieldAsResponder:")
        helper.indent(true)
        helper.indent(false)
        system.log("EntryFieldHelper").indent(true).indent(false)
            .debug("findNextEntryFieldAsResponder: return: \(true ? "true" : "false")")
        view.indent(false).debug("textFieldShouldReturn DONE")
        helper.debug("keyboardShowNotification:")
        helper.indent(true)
        view.debug("textViewDidBeginEditing DONE")
        helper.debug("\(responder) is responder")
        helper.indent(false).debug("keyboardShowNotification: DONE")
        #expect(
            system.live == """
                [DEBUG] EditTaxViewController - textFieldDidBeginEditing
                [DEBUG] EditTaxViewController - textFieldDidBeginEditing DONE
                [DEBUG] EditTaxViewController - textFieldShouldReturn
                --[DEBUG] EntryFieldHelper - findNextEntryFieldAsResponder:
                --[DEBUG] EntryFieldHelper - findNextEntryFieldAsResponder: return: true
                [DEBUG] EditTaxViewController - textFieldShouldReturn DONE
                [DEBUG] EntryFieldHelper - keyboardShowNotification:
                --[DEBUG] EditTaxViewController - textViewDidBeginEditing DONE
                --[DEBUG] EntryFieldHelper - \(responder) is responder
                [DEBUG] EntryFieldHelper - keyboardShowNotification: DONE

                """)
    }

    @Test("MyLogger: format with four placeholders, indentChar, numberOfIndentChars")
    func classProperties() throws {
        let sink = RecordingSink()
        TestSystem { $0.sinks = [sink] }.log().info("x")
        let record = try #require(sink.records.first)
        #expect(record.formatted(as: try LogFormat("%@[%@] %@ - %@")) == record.formatted(as: .myLogger))
        let format = LogFormat.myLogger
        #expect(format.indentCharacter == " ")
        #expect(format.indentWidth == 2)
        let system = TestSystem { $0.format = format }
        system.log("Context").indent(true).warning("message")
        system.log().indent(false)
        #expect(system.live == "  [WARNING] Context - message\n")
    }

    @Test("MyLogger: defaultLoggingLevel for all, level for one; the four level names")
    func levels() {
        let system = TestSystem(threshold: .error)
        let (one, other) = (system.log("One"), system.log("Other", level: .info))
        for log in [one, other] {
            log.debug("d")
            log.warning("w")
            log.error("e")
            log.info("i")
        }
        #expect(
            system.lines == ["[ERROR] One - e", "[WARNING] Other - w", "[ERROR] Other - e", "[INFO] Other - i"])
        #expect(other.level == .info && other.context == "Other")
    }

    @Test("MyLogger: description has level and context")
    func description() {
        let system = TestSystem(threshold: .error)
        #expect(
            system.log("EntryFieldHelper", level: .debug).description
                == "Log - level: DEBUG, context: EntryFieldHelper")
    }

    @Test("MyLogger: initWithContext, also with a type")
    func context() {
        #expect(Log(for: SeedParityTests.self).context == "SeedParityTests")
        #expect(Log(for: [Int].self).context == "Array<Int>")
    }

    private static var dashes: LogFormat {
        var format = LogFormat.myLogger
        format.indentCharacter = "-"
        return format
    }

    // MARK: FTToolBox

    @Test("FTToolBox: the output of the specification's example")
    func toolBoxOutput() {
        let system = TestSystem { $0.format = .ftToolBox }
        enum FTAsyncRequest {
            static func get(_ log: Log, _ url: String) { log.debug("URL = \(url)") }
        }
        FTAsyncRequest.get(system.log("FTAsyncRequest"), "http://www.4gsecure.fr/test.php")
        #expect(
            system.live == "FT_DEBUGGING(6):: FTAsyncRequest, get:: URL = http://www.4gsecure.fr/test.php\n")
    }

    @Test("FTToolBox: FTinitializeLog:NO disables logging, YES enables it")
    func debugFlag() {
        let system = TestSystem { $0.isEnabled = false }
        system.log().unrecoverable("hidden")
        system.isEnabled = true
        system.log().unrecoverable("shown")
        #expect(system.lines == ["[UNRECOVERABLE] A - shown"])
    }

    @Test("FTToolBox: at FT_WARNING only calls of levels 0 to 3 are logged; FTsetLogSeverity changes it")
    func severity() throws {
        let system = TestSystem(threshold: try #require(LogLevel(rawValue: 3)))
        for level in LogLevel.allCases { system.log().log(level, "x") }
        #expect(system.lines.count == 4)
        system.thresholds.global = LogLevel(name: "FT_VERBOSE")
        system.log().verbose("x")
        #expect(system.lines.count == 5)
    }

    @Test("FTToolBox: FTgetLogAsString and FTgetCrashLogAsString", .timeLimit(.minutes(5)))
    func logs() throws {
        let folder = TemporaryFolder()
        let first = TestSystem(in: folder)
        first.log().info("of the first run")
        #expect(first.live == "[INFO] A - of the first run\n")
        #expect(first.report.priorRun == nil)
        first.shutdown()
        let second = TestSystem(in: folder)
        second.log().info("of the second run")
        #expect(second.live == "[INFO] A - of the second run\n")
        #expect(second.report.priorRun?.log == "[INFO] A - of the first run\n")
    }

    // MARK: SquidKit

    @Test("SquidKit: Log.print and Log.message; without a message nothing is logged")
    func squidKit() {
        let system = TestSystem()
        let (code, missing) = (404, String?.none)
        let log = system.log("Endpoint")
        log.logging("maybe turn on the internets")
        log.logging("\(code): \("not found")")
        missing.map { log.logging("\($0)") }
        #expect(
            system.lines == ["[LOGGING] Endpoint - maybe turn on the internets", "[LOGGING] Endpoint - 404: not found"])
    }

    @Test("SquidKit: prefix and postfix are text of the format; never is the switch")
    func squidKitFormat() throws {
        let format = try LogFormat("<< {message} >>")
        let system = TestSystem { $0.format = format }
        system.log().info("x")
        system.isEnabled = false
        system.log().info("never")
        #expect(system.live == "<< x >>\n")
    }
}
