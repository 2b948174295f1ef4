internal import AshlarCore
internal import AshlarLogging

/// The script of the page.
///
/// It inserts texts of the document by `append` of text only; attributes with names such as `href`, `src`, `style` or `on…`
/// never have a value of the document.
enum PageScript {
    static let text = whole(live: ("const controls = {}, ownSections = [], isLive = false, editor = null;", ""))

    /// The script of the page of a running app, which also connects to the app.
    static let liveText = whole(live: (controls, connection))

    private static func whole(live: (before: String, after: String)) -> String {
        """
        (() => {
        "use strict";
        const levelNames = [\(LogLevel.allCases.map { "\"\($0)\"" }.joined(separator: ", "))];
        const content = JSON.parse(document.getElementById("data").textContent);
        \(elements)
        \(plots)
        \(sidePanel)
        \(table)
        \(live.before)
        \(lines)
        \(log)
        \(requests)
        \(requestDetails)
        \(configuration)
        \(strings)
        \(services)
        \(sections)
        \(overview)
        \(tabs)
        \(live.after)
        })();
        """
    }

    /// Creation of elements and texts.
    private static let elements = #"""
        const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
        // Characters that can't be seen, or that change the order of others, are shown by their numbers.
        const shown = text => String(text ?? "").replace(unseen, c => "\\u{" + c.codePointAt(0).toString(16) + "}");
        function fill(element, attributes, children) {
            for (const [name, value] of Object.entries(attributes)) {
                if (value !== null && value !== undefined) element.setAttribute(name, value);
            }
            for (const child of children.flat(Infinity)) {
                if (child !== null && child !== undefined) element.append(child instanceof Node ? child : shown(child));
            }
            return element;
        }
        const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
        const draw = (tag, attributes = {}, ...children) =>
            fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
        function button(label, action, attributes = {}) {
            const element = make("button", { type: "button", ...attributes }, label);
            element.addEventListener("click", action);
            return element;
        }
        const field = (label, input, kind) => make("label", { class: kind }, label, input);
        const quiet = (...text) => make("p", { class: "quiet" }, text);
        // A short word with the color of a state: good, active, warning, error or none.
        const pill = (text, kind) => make("span", { class: "pill " + (kind ?? "") }, text);
        const preformatted = (label, text) => make("pre", { tabindex: "0", "aria-label": label }, text);
        // A button that shows and hides an element. `opened` has the names of those that are shown, also after an update.
        function disclosure(name, label, create, opened) {
            const box = make("div");
            function show(isOpen) {
                box.replaceChildren(...isOpen ? [create()] : []);
                toggle.setAttribute("aria-expanded", String(isOpen));
                if (isOpen) opened.add(name);
                else opened.delete(name);
            }
            const toggle = button(label, () => show(!opened.has(name)), { class: "disclosure", "aria-label": shown(`${name}: ${label}`) });
            show(opened.has(name));
            return make("div", {}, toggle, box);
        }
        // A list of names with their values.
        const facts = pairs => make("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null && value !== undefined
            && value !== "").map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", { class: "data" }, value))));
        const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
        const list = value => Array.isArray(value) ? value : [];
        // A report has the order of the recording; a running app shows the newest items first.
        const newestFirst = items => isLive ? [...items].reverse() : items;
        // A time in UTC.
        function clock(microseconds) {
            const date = new Date(microseconds / 1000);
            return isNaN(date) ? "" : date.toISOString().replace("T", " ").replace("Z", "");
        }
        const milliseconds = value => value >= 1000 ? (value / 1000).toFixed(2) + " s" : value.toFixed(value < 10 ? 1 : 0) + " ms";
        function bytes(number) {
            if (!Number.isFinite(number) || number < 0) return "";
            if (number < 1000) return number + " B";
            return number < 1e6 ? (number / 1e3).toFixed(1) + " kB" : (number / 1e6).toFixed(1) + " MB";
        }
        // Puts a text on the clipboard; returns whether it is there. Some browsers forbid it for files.
        async function copy(text) {
            try {
                await navigator.clipboard.writeText(text);
                return true;
            } catch { return false; }
        }
        """#
}
