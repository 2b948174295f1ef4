extension PageScript {
    /// The configuration: values in full, their origins, and overrides in a running app.
    static let configuration = #"""
        const place = entry => `${entry.location} (${entry.layer})`;
        const items = values => list(values).length
            ? make("ul", { class: "plain" }, list(values).map(value => make("li", { class: "data" }, value))) : "";
        const openValues = new Set();
        function configurationValue({ key, text, isSecret, full }) {
            if (isSecret) return [text, " ", pill("secret")];
            if (full === undefined || full === null) return make("span", { class: "code" }, text);
            return disclosure(key, text.length > 60 ? text.slice(0, 60) + "…" : text, () => preformatted(`Value of ${key}`, full), openValues);
        }
        function originOf({ origin }) {
            if (!origin) return "";
            const kind = { "run time": "active", "environment variables": "warning", "command line": "warning" }[origin.layer];
            return [pill(origin.layer, kind), make("span", { class: "quiet" }, " ", origin.location)];
        }
        const earlierValues = ({ merged, overridden }) => [...list(merged).map(entry => `merged with ${place(entry)}`),
            ...list(overridden).map(entry => `over ${entry.text} from ${place(entry)}`)];
        function showConfiguration(panel, values) {
            const result = make("p", { role: "status", class: "result" });
            let waiting = null;
            // A change of the app waits until the value is typed.
            function endEditing() {
                if (waiting) all.update(waiting);
                waiting = null;
            }
            const all = table(panel, { label: "Configuration", noun: "key", items: values, kind: "configuration", columns: [
                { title: "Key", isWide: true, key: value => value.key, style: "code" },
                { title: "Value", isWide: true, key: value => value.text, cell: configurationValue },
                { title: "Origin", isWide: true, key: value => value.origin ? place(value.origin) : "", cell: originOf },
                { title: "Overridden and merged", isWide: true, key: value => earlierValues(value).join(),
                    cell: value => items(earlierValues(value)) },
                ...editor ? [{ title: "Override", key: value => value.origin?.layer === "run time" ? 0 : 1,
                    cell: value => editor.value(value, result, endEditing) }] : [],
            ] });
            panel.append(result);
            return values => {
                if (panel.querySelector(".editor")) waiting = values;
                else all.update(values);
            };
        }
        """#
}
