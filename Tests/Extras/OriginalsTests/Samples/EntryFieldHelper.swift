import AshlarOriginals

// The classes of MyLogger's documentation, which log each method. Stand-ins replace the views of UIKit.

/// A text field or text view.
final class EntryField: CustomStringConvertible {
    let tag: Int
    let description: String
    var didBeginEditing: () -> Void = {}

    init(tag: Int, _ description: String = "field") {
        self.tag = tag
        self.description = description
    }

    func becomeFirstResponder() { didBeginEditing() }
}

final class EntryFieldHelper {
    private let mLogger: MyLogger
    private let mEntryFields: [EntryField]
    var inputFieldsWithKeyboardToBeReset: [Int] = []
    /// The notifications that are posted when the app is idle.
    private(set) var notifications: [EntryField] = []

    init(view theView: [EntryField]) {
        mLogger = MyLogger(context: "EntryFieldHelper")
        mLogger.debug("InitWithView:").indent(true)
        mEntryFields = theView
        mLogger.indent(false).debug("initWithView: DONE")
    }

    deinit {
        mLogger.debug("dealloc").indent(true)
        mLogger.indent(false).debug("dealloc")
    }

    func findNextEntryFieldAsResponder(_ field: EntryField) -> Bool {
        mLogger.debug("findNextEntryFieldAsResponder:").indent(true)
        var retVal = false
        for aView in mEntryFields where aView.tag == field.tag + 1 {
            if inputFieldsWithKeyboardToBeReset.contains(aView.tag) {
                notifications.append(aView)
            } else {
                aView.becomeFirstResponder()
            }
            retVal = true
            break
        }
        mLogger.indent(false).debug("findNextEntryFieldAsResponder: return: %@", retVal ? "true" : "false")
        return retVal
    }

    func keyboardShowNotification(_ responder: EntryField) {
        mLogger.debug("keyboardShowNotification:").indent(true)
        responder.becomeFirstResponder()
        // In the documented log, but not in the documented code.
        mLogger.debug("%@ is responder", responder.description)
        notifications = []
        mLogger.indent(false).debug("keyboardShowNotification: DONE")
    }
}

final class EditTaxViewController {
    private let mLogger = MyLogger(context: "EditTaxViewController")
    let fields: [EntryField]
    let mEntryFieldHelper: EntryFieldHelper

    /// The method `viewDidLoad`.
    init(fields: [EntryField], fieldsWithKeyboardToBeReset: [Int]) {
        mLogger.debug("viewDidLoad").indent(true)
        self.fields = fields
        mEntryFieldHelper = EntryFieldHelper(view: fields)
        // The first two fields (tax and rate) are OK, but the note field's keyboard needs to be reset.
        mEntryFieldHelper.inputFieldsWithKeyboardToBeReset = fieldsWithKeyboardToBeReset
        mLogger.indent(false).debug("viewDidLoad DONE")
        for (field, name) in zip(fields, ["textField", "textField", "textView"]) {
            field.didBeginEditing = { [mLogger] in
                mLogger.debug("\(name)DidBeginEditing").indent(true)
                mLogger.indent(false).debug("\(name)DidBeginEditing DONE")
            }
        }
    }

    func textFieldShouldReturn(_ textField: EntryField) -> Bool {
        mLogger.debug("textFieldShouldReturn").indent(true)
        // No more inputs?
        if !mEntryFieldHelper.findNextEntryFieldAsResponder(textField) {}
        mLogger.indent(false).debug("textFieldShouldReturn DONE")
        return true
    }
}
