extension PageScript {
    /// The controls of the sections, by which a page changes the running app.
    static let controls = #"""
        const isLive = true;
        async function act(status, action) {
            status.className = "result";
            status.textContent = "Sent";
            let text = "The app doesn't respond.", isDone = false;
            try {
                const headers = { "Content-Type": "application/json" };
                const response = await fetch("/actions", { method: "POST", headers, body: JSON.stringify(action) });
                text = await response.text();
                isDone = response.ok;
                const answer = JSON.parse(text);
                text = answer.result ?? answer.error;
            } catch { /* The text is the reason. */ }
            status.className = isDone ? "result" : "result error";
            status.textContent = shown(text);
        }
        // The exchanges of a running app, which are loaded on demand because of their bodies.
        function showExchanges(panel, archive) {
            const status = make("span", { role: "status", class: "quiet" });
            panel.append(make("div", { class: "actions" }, button("Load exchanges", async () => {
                status.textContent = "Loading";
                try {
                    const response = await fetch("/exchanges");
                    if (!response.ok) throw new Error(await response.text());
                    update(await response.json());
                    status.textContent = "";
                } catch (error) { status.textContent = shown(error.message); }
            }), status));
            const update = showRequests(panel, archive, "Exchanges");
            return update;
        }
        const ownSections = content.live.hasRecorder ? [["Exchanges", {}, showExchanges]] : [];
        // A group of fields and buttons; Enter in a field is the first button.
        function group(label, fields, buttons) {
            const status = make("p", { role: "status", class: "result" });
            const all = buttons.map(([title, action]) => button(title, () => act(status, action())));
            for (const [, input] of fields) {
                input.addEventListener("keydown", event => { if (event.key === "Enter" && input.tagName === "INPUT") all[0].click(); });
            }
            return make("div", { class: "controls", role: "group", "aria-label": label },
                make("div", { class: "filters" }, fields.map(([title, input]) => field(title, input)), all), status);
        }
        const options = values => values.map(([value, title]) => make("option", { value }, title));
        // Lists of names grow with the app, up to a limit.
        const suggestions = new Set(), topics = make("datalist", { id: "topics" });
        function suggest(name) {
            if (suggestions.has(name) || suggestions.size >= 1000) return;
            suggestions.add(name);
            topics.append(make("option", { value: shown(name) }));
        }
        // Changes of one value and of one text.
        const editor = {
            // The buttons of a row of the configuration; the value is typed in the row.
            value({ key, text, full, origin, isSecret }, result, end) {
                const name = shown(key), box = make("span", { class: "actions" });
                const set = value => act(result, { action: "setValue", name: key, value });
                function showButtons() {
                    const change = button("Override", edit, { "aria-label": `Override ${name}` });
                    box.classList.remove("editor");
                    box.replaceChildren(change, ...origin?.layer === "run time"
                        ? [button("Restore", () => set(null), { "aria-label": `Restore ${name}` })] : []);
                    return change;
                }
                function edit() {
                    const input = make("input", { placeholder: "JSON or a text", "aria-label": `New value of ${name}` });
                    // A value with a hidden part isn't offered, because the app would get the text that hides it.
                    const known = full ?? text;
                    input.value = isSecret || known.includes("<redacted>") ? "" : known;
                    async function done(isSet) {
                        if (isSet) await set(input.value);
                        showButtons().focus();
                        end();
                    }
                    input.addEventListener("keydown", event => {
                        if (event.key === "Enter") done(true);
                        if (event.key === "Escape") done(false);
                    });
                    box.classList.add("editor");
                    box.replaceChildren(input, button("Set", () => done(true)), button("Cancel", () => done(false)));
                    input.focus();
                    input.select();
                }
                showButtons();
                return box;
            },
            text({ table, key }) {
                const text = make("input", { placeholder: "a text for the current language" });
                return group("Override", [["New text", text]], [
                    ["Override", () => ({ action: "setText", name: key, value: text.value, detail: table })],
                    ["Restore", () => ({ action: "setText", name: key, value: null, detail: table })],
                ]);
            },
        };
        const controls = {
            Log() {
                const context = make("input", { list: "contexts", placeholder: "all contexts" });
                const level = make("select", {}, options([...levelNames.map(name => [name, name]), ["off", "off"], ["", "as all contexts"]]));
                level.value = "INFO";
                return [group("Threshold", [["Context of the threshold", context], ["Threshold", level]], [
                    ["Set threshold", () => ({ action: "setThreshold", name: context.value.trim(), value: level.value || null })],
                ])];
            },
            Hosts(hosts) {
                const host = make("select", {}, hosts.map((host, index) => make("option", { value: index }, host.host)));
                const environment = make("select"), typed = make("input", { placeholder: "for an environment that is typed" });
                const fill = () => environment.replaceChildren(...list(hosts[host.value]?.environments).map(({ key, host }, index) =>
                    make("option", { value: index }, `${key}: ${host}`)));
                host.addEventListener("input", fill);
                fill();
                const name = () => hosts[host.value]?.host ?? "";
                return [group("Selection", [["Canonical host", host], ["Environment", environment], ["Typed host", typed]], [
                    ["Select", () => ({ action: "selectHost", name: name(), value: hosts[host.value]?.environments[environment.value]?.key ?? "",
                        detail: typed.value.trim() })],
                    ["Reset", () => ({ action: "selectHost", name: name(), value: null })],
                ])];
            },
            Routes() {
                const url = make("input", { placeholder: "/notes/5" });
                return [group("Route", [["URL", url]], [
                    ["Explain", () => ({ action: "explainRoute", name: url.value.trim() })],
                    ["Open in the app", () => ({ action: "openRoute", name: url.value.trim() })],
                ])];
            },
            Events() {
                const topic = make("input", { list: "topics" }), payload = make("input", { placeholder: "JSON, or nothing" });
                return [topics, group("Event", [["Topic", topic], ["Payload", payload]], [
                    ["Trigger", () => ({ action: "trigger", name: topic.value.trim(), value: payload.value.trim() })],
                ])];
            },
        };
        """#
}
