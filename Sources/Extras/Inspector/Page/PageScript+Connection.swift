extension PageScript {
    /// The connection to the app, after the sections.
    static let connection = #"""
        // The token was used, so that it isn't shown or opened again.
        history.replaceState(null, "", "/");
        const requests = new Map();
        let events = [], cursor = content.live.cursor, source = null;
        function change(one, value) {
            one.value = value;
            one.isChanged = true;
        }
        function recorded({ id, method, url, fields, startedAt, duration, status, error, size, timings }) {
            return { _number: id, _isRunning: duration === undefined, startedDateTime: new Date(startedAt / 1000).toISOString(),
                time: duration ?? 0, timings, request: { method, url, headers: fields.map(([name, value]) => ({ name, value })) },
                response: { status: status ?? 0, headers: [], _error: error, _size: size } };
        }
        function receive(batch) {
            const { missed } = batch;
            if (missed.lines) {
                const text = `${count(missed.lines, "line")} not received`;
                batch.lines.unshift([batch.lines[0]?.[0] ?? Date.now() * 1000, 3, "inspector", text]);
            }
            if (batch.lines.length) {
                const log = section("Log"), changes = addLines(batch.lines);
                // A list that wasn't shown yet reads all lines then; a hidden one is drawn when it is shown.
                if (log.update) log.update(changes);
                if (log.panel.hidden) change(log, { added: [], removed: null });
            }
            for (const request of batch.requests) requests.set(request.id, recorded(request));
            for (const id of requests.keys()) {
                if (requests.size <= content.live.requestLimit) break;
                requests.delete(id);
            }
            if (batch.requests.length) change(section("Requests"), { log: { version: "1.2", entries: [...requests.values()] } });
            if (batch.events.length) {
                for (const { name } of batch.events) suggest(name);
                events = [...events, ...batch.events].slice(-content.live.eventLimit);
                change(section("Events"), events);
            }
            for (const [name, value] of Object.entries(batch.sections)) {
                const one = tabs.find(one => one.name.toLowerCase() === name);
                change(one, value);
                if (!one.panel.hidden) refresh(one);
            }
            section("Overview").isChanged = true;
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
        header.append(make("p", { class: "connection" }, state, pause));
        // The overview, requests and events are drawn once a second.
        setInterval(() => {
            for (const name of ["Overview", "Requests", "Events"]) {
                const one = section(name);
                if (one.isChanged && !one.panel.hidden) refresh(one);
            }
        }, 1000);
        connect();
        """#
}
