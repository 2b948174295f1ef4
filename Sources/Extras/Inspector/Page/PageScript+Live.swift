extension PageScript {
    /// The controls of the sections, by which a page changes the running app.
    static let controls = #"""
        const isLive = true;
        async function act(status, action) {
            status.className = "result";
            status.textContent = "Sent";
            let text = "The app doesn't respond.", isDone = false;
            try {
                const response = await fetch("/actions", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(action) });
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
            const status = make("span", { role: "status" });
            panel.append(button("Load exchanges", async () => {
                status.textContent = "Loading";
                try {
                    const response = await fetch("/exchanges");
                    if (!response.ok) throw new Error(await response.text());
                    update(await response.json());
                    status.textContent = "";
                } catch (error) { status.textContent = shown(error.message); }
            }), status);
            const update = showRequests(panel, archive);
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
        const names = (id, values) => make("datalist", { id }, values.map(value => make("option", { value: shown(value) })));
        const options = values => values.map(([value, title]) => make("option", { value }, title));
        // Lists of names grow with the app, up to a limit.
        const suggestions = new Set(), topics = names("topics", []);
        function suggest(name) {
            if (suggestions.has(name) || suggestions.size >= 1000) return;
            suggestions.add(name);
            topics.append(make("option", { value: shown(name) }));
        }
        const controls = {
            Log() {
                const context = make("input", { list: "contexts", placeholder: "all contexts" });
                const level = make("select", {}, options([...levelNames.map(name => [name, name]), ["off", "off"], ["", "as all contexts"]]));
                level.value = "INFO";
                return [group("Threshold", [["Context of the threshold", context], ["Threshold", level]], [
                    ["Set threshold", () => ({ action: "setThreshold", name: context.value.trim(), value: level.value || null })],
                ])];
            },
            Configuration(values) {
                const key = make("input", { list: "keys" }), value = make("input", { placeholder: "JSON or a text" });
                return [names("keys", values.slice(0, 5000).map(value => value.key)), group("Override", [["Key", key], ["New value", value]], [
                    ["Override", () => ({ action: "setValue", name: key.value.trim(), value: value.value })],
                    ["Restore", () => ({ action: "setValue", name: key.value.trim(), value: null })],
                ])];
            },
            Strings() {
                const key = make("input"), text = make("input"), table = make("input", { placeholder: "Localizable" });
                return [group("Override", [["Key", key], ["Table", table], ["New text", text]], [
                    ["Override", () => ({ action: "setText", name: key.value, value: text.value, detail: table.value.trim() })],
                    ["Restore", () => ({ action: "setText", name: key.value, value: null, detail: table.value.trim() })],
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

    /// The connection to the app, after the sections.
    static let connection = #"""
        // The token was used, so that it isn't shown or opened again.
        history.replaceState(null, "", "/");
        const byName = new Map(tabs.map(one => [one.name.toLowerCase(), one]));
        const requests = new Map();
        let events = [], cursor = content.live.cursor, source = null;
        function change(one, value) {
            one.value = value;
            one.isChanged = true;
        }
        function recorded({ id, method, url, fields, startedAt, duration, status, error }) {
            return { _number: id, _isRunning: duration === undefined, startedDateTime: new Date(startedAt / 1000).toISOString(), time: duration ?? 0,
                request: { method, url, headers: fields.map(([name, value]) => ({ name, value })) },
                response: { status: status ?? 0, headers: [], _error: error } };
        }
        function receive(batch) {
            const { missed } = batch;
            if (missed.lines) batch.lines.unshift([batch.lines[0]?.[0] ?? Date.now() * 1000, 3, "inspector", `${count(missed.lines, "line")} not received`]);
            const log = byName.get("log");
            if (batch.lines.length) log.update(batch.lines);
            // A hidden list is drawn when it is shown.
            if (log.panel.hidden) change(log, []);
            for (const request of batch.requests) requests.set(request.id, recorded(request));
            for (const id of requests.keys()) {
                if (requests.size <= content.live.requestLimit) break;
                requests.delete(id);
            }
            if (batch.requests.length) change(byName.get("requests"), { log: { version: "1.2", entries: [...requests.values()] } });
            if (batch.events.length) {
                for (const { name } of batch.events) suggest(name);
                events = [...events, ...batch.events].slice(-content.live.eventLimit);
                change(byName.get("events"), events);
            }
            for (const [name, value] of Object.entries(batch.sections)) {
                const one = byName.get(name);
                change(one, value);
                if (!one.panel.hidden) refresh(one);
            }
        }
        const state = make("span", { role: "status" }, "Connecting");
        const pause = button("Pause", () => {
            if (source) disconnect("Paused");
            else connect();
        });
        function disconnect(text) {
            source?.close();
            source = null;
            state.textContent = text;
            pause.textContent = "Continue";
        }
        function connect() {
            source = new EventSource("/events?after=" + encodeURIComponent(cursor));
            pause.textContent = "Pause";
            source.addEventListener("open", () => { state.textContent = "Live"; });
            source.addEventListener("message", event => {
                cursor = event.lastEventId;
                receive(JSON.parse(event.data));
            });
            source.addEventListener("reload", () => {
                disconnect("Loading");
                location.reload();
            });
            source.addEventListener("error", () => {
                if (source?.readyState === EventSource.CLOSED) disconnect("Not connected; the app can create another URL");
                else state.textContent = "Connecting";
            });
        }
        header.append(make("p", { class: "connection" }, pause, state));
        // Requests and events are drawn once a second.
        setInterval(() => {
            for (const one of [byName.get("requests"), byName.get("events")]) {
                if (one.isChanged && !one.panel.hidden) refresh(one);
            }
        }, 1000);
        connect();
        """#
}
