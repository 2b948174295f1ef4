import AshlarOriginals
import Testing

extension Samples {
    @Suite struct MyLoggerSamples {
        private let folder: SampleFolder
        private static let textView =
            "<UITextView: 0x3d09bd0; frame = (20 143; 287 77); text = 'Test'; clipsToBounds = YES; opaque = NO; "
            + "autoresize = W; tag = 3; layer = <CALayer: 0x3d09db0>>"

        init() throws {
            folder = try SampleFolder()
            startLog(in: folder)
            MyLogger.defaultLoggingLevel = .debug
            MyLogger.indentChar = "-"
            MyLogger.numberOfIndentChars = 2
            try MyLogger.setFormat("%@[%@] %@ - %@")
        }

        /// Creates the views, returns in the second field, and returns the lines after the creation.
        private func log(resetting fields: [Int]) throws -> String {
            let controller = EditTaxViewController(
                fields: [EntryField(tag: 1), EntryField(tag: 2), EntryField(tag: 3, Self.textView)],
                fieldsWithKeyboardToBeReset: fields)
            let start = LogSystem.liveLog
            controller.fields[1].becomeFirstResponder()
            #expect(controller.textFieldShouldReturn(controller.fields[1]))
            for responder in controller.mEntryFieldHelper.notifications {
                controller.mEntryFieldHelper.keyboardShowNotification(responder)
            }
            return String(LogSystem.liveLog.dropFirst(start.count))
        }

        @Test("The documented log of the nested calls")
        func nestedCalls() throws {
            defer { endLog() }
            #expect(
                try log(resetting: []) == """
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

        @Test("The documented log with a notification")
        func notification() throws {
            defer { endLog() }
            #expect(
                try log(resetting: [3]) == """
                    [DEBUG] EditTaxViewController - textFieldDidBeginEditing
                    [DEBUG] EditTaxViewController - textFieldDidBeginEditing DONE
                    [DEBUG] EditTaxViewController - textFieldShouldReturn
                    --[DEBUG] EntryFieldHelper - findNextEntryFieldAsResponder:
                    --[DEBUG] EntryFieldHelper - findNextEntryFieldAsResponder: return: true
                    [DEBUG] EditTaxViewController - textFieldShouldReturn DONE
                    [DEBUG] EntryFieldHelper - keyboardShowNotification:
                    --[DEBUG] EditTaxViewController - textViewDidBeginEditing
                    --[DEBUG] EditTaxViewController - textViewDidBeginEditing DONE
                    --[DEBUG] EntryFieldHelper - \(Self.textView) is responder
                    [DEBUG] EntryFieldHelper - keyboardShowNotification: DONE

                    """)
        }

        @Test("viewDidLoad, initWithView: and dealloc")
        func viewDidLoad() {
            defer { endLog() }
            do {
                let controller = EditTaxViewController(fields: [], fieldsWithKeyboardToBeReset: [])
                withExtendedLifetime(controller) {}
            }
            #expect(
                LogSystem.liveLog == """
                    [DEBUG] EditTaxViewController - viewDidLoad
                    --[DEBUG] EntryFieldHelper - InitWithView:
                    --[DEBUG] EntryFieldHelper - initWithView: DONE
                    [DEBUG] EditTaxViewController - viewDidLoad DONE
                    [DEBUG] EntryFieldHelper - dealloc
                    [DEBUG] EntryFieldHelper - dealloc

                    """)
        }

        @Test("The class properties: default level, indent character and number, and format")
        func classProperties() throws {
            defer { endLog() }
            MyLogger.defaultLoggingLevel = LogLevelError
            #expect(MyLogger.defaultLoggingLevel == LogLevelError)
            MyLogger.indentChar = " "
            MyLogger.numberOfIndentChars = 3
            #expect(MyLogger.indentChar == " " && MyLogger.numberOfIndentChars == 3)
            #expect(MyLogger.format == "%@[%@] %@ - %@")
            try MyLogger.setFormat("%@<%@> %@: %@")
            #expect(MyLogger.format == "%@<%@> %@: %@")
            #expect(throws: (any Error).self) { try MyLogger.setFormat("%@") }
            #expect(MyLogger.format == "%@<%@> %@: %@")
            MyLogger(context: "A").indent(true).error("e").indent(false).debug("hidden").warning("hidden").info(
                "hidden")
            #expect(LogSystem.liveLog == "   <ERROR> A: e\n")
            try MyLogger.setFormat("%@[%@] %@ - %@")
        }

        @Test("initWithContext: has the default level, initWithContext:logLevel: its own; description has both")
        func instances() {
            defer { endLog() }
            MyLogger.defaultLoggingLevel = LogLevelError
            let logger = MyLogger(context: "EntryFieldHelper")
            #expect(logger.level == LogLevelError && logger.context == "EntryFieldHelper")
            #expect(logger.description == "Mylogger instance - level: ERROR, context: EntryFieldHelper")
            var other = MyLogger(context: "Other", logLevel: .warning)
            #expect(other.level == .warning)
            other.level = .info
            other.context = "Third"
            #expect(other.description == "Mylogger instance - level: INFO, context: Third")
            other.info("shown %d", 1)
            logger.info("hidden")
            #expect(LogSystem.liveLog == "[INFO] Third - shown 1\n")
        }
    }
}
