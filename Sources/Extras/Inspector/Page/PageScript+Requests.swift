extension PageScript {
    /// The requests: their table, and a waterfall of their phases.
    static let requests = #"""
        // The phases of an exchange in order: the name in HAR, the title, and the color.
        const phases = [["blocked", "Queue", "queue"], ["dns", "Name lookup", "lookup"], ["connect", "Connect", "connect"],
            ["ssl", "TLS", "tls"], ["send", "Send", "send"], ["wait", "Wait", "wait"], ["receive", "Receive", "receive"]];
        // The measured phases of an exchange: { title, kind, from, to } in milliseconds after its start. Without measurements,
        // the only phase is the wait, which says nothing.
        function measured({ timings }) {
            let at = 0;
            const found = phases.flatMap(([name, title, kind]) => {
                let length = Number(timings?.[name]);
                // In HAR, the time of the connection includes that of TLS.
                if (name === "connect" && timings?.ssl > 0) length -= timings.ssl;
                if (!(length > 0)) return [];
                at += length;
                return [{ title, kind, from: at - length, to: at }];
            });
            return found.length > 1 ? found : [];
        }
        const statusNames = { 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
            408: "Request Timeout", 409: "Conflict", 410: "Gone", 413: "Content Too Large", 422: "Unprocessable Content",
            429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
            503: "Service Unavailable", 504: "Gateway Timeout" };
        const statusOf = entry => Number(entry.response?.status) || 0;
        const hasFailed = entry => !entry._isRunning && (statusOf(entry) >= 400 || statusOf(entry) < 100 || Boolean(entry.response?._error));
        // The reason why a request failed.
        function failure(entry) {
            const status = statusOf(entry), { statusText, _error: error } = entry.response ?? {};
            if (status >= 400) return statusText || statusNames[status] || error || "a status of failure";
            return error || "no response";
        }
        function statusPill(entry) {
            if (entry._isRunning) return pill("running", "active");
            const status = statusOf(entry);
            if (hasFailed(entry)) return pill(status >= 400 ? status + " failed" : "failed", "error");
            return pill(status, status < 300 ? "good" : "");
        }
        // The host and the path of a URL; a text that isn't one is a path.
        function address(entry) {
            const url = String(entry.request?.url ?? "");
            const parts = /^https?:\/\/([^\/?#]*)(.*)$/i.exec(url);
            return parts ? { host: parts[1], path: parts[2] || "/" } : { host: "", path: url };
        }
        const sizeOf = ({ response = {} }) => response.content?.size ?? response.content?.text?.length ?? response._size ?? -1;
        // Opens the side panel of a request by its number, for each section that has requests.
        const showRequest = {};
        function showRequests(panel, archive, sectionName = "Requests") {
            let width = 1, items = [], hosts = new Set();
            // The requests with their places on a line from the first start to the last end.
            function placed() {
                const entries = list(archive.log?.entries);
                const starts = entries.map(entry => Date.parse(entry.startedDateTime) || 0);
                const start = starts.reduce((a, b) => Math.min(a, b), Infinity);
                const end = entries.reduce((last, entry, index) => Math.max(last, starts[index] + (entry.time || 0)), start + 1);
                width = Math.max(end - start, 1);
                hosts = new Set(entries.map(entry => address(entry).host));
                items = newestFirst(entries.map((entry, index) =>
                    ({ ...entry, from: starts[index] - start, number: entry._number ?? index + 1 })));
                return items;
            }
            function waterfall(entry) {
                const time = entry.time || 0, at = ms => (entry.from + Math.min(ms, time)) / width;
                const parts = measured(entry).map(({ title, kind, from, to }) =>
                    ({ from: at(from), to: at(to), kind, title: `${title}: ${milliseconds(to - from)}` }));
                const whole = [{ from: at(0), to: at(time), kind: hasFailed(entry) ? "error" : "whole" }];
                return spans(parts.length ? parts : whole,
                    `from ${milliseconds(entry.from)} to ${milliseconds(entry.from + time)} of ${milliseconds(width)}`);
            }
            const key = legend([["Whole request", "whole"], ...phases.slice(0, 4).map(([, title, kind]) => [title, kind]),
                ...phases.slice(5).map(([, title, kind]) => [title, kind]), ["Failed", "error"]]);
            const download = button("Download HAR", () => {
                const url = URL.createObjectURL(new Blob([JSON.stringify(archive, null, 2)], { type: "application/json" }));
                const link = make("a", { download: "requests.har" });
                link.href = url;
                link.click();
                setTimeout(() => URL.revokeObjectURL(url), 10_000);
            });
            const all = table(panel, { label: "Requests", noun: "request", items: placed(), options: [download, key], kind: "requests",
                name: entry => `request ${entry.number}`,
                columns: [
                    { title: "Path", isWide: true, key: entry => address(entry).path, cell: entry => [address(entry).path,
                        hosts.size > 1 ? make("span", { class: "quiet host" }, address(entry).host) : null] },
                    { title: "Method", isNarrow: true, key: entry => entry.request?.method },
                    { title: "Status", isNarrow: true, key: statusOf, cell: statusPill },
                    { title: "Size", isNumber: true, key: sizeOf, cell: entry => bytes(sizeOf(entry)) },
                    { title: "Duration", isNumber: true, key: entry => entry.time || 0,
                        cell: entry => entry._isRunning ? "" : milliseconds(entry.time || 0) },
                    { title: "Waterfall", isWide: true, key: entry => entry.from, cell: waterfall },
                ],
                open: entry => [`${entry.request?.method} ${address(entry).path}`, requestDetail(entry, sectionName)] });
            showRequest[sectionName] = number => {
                const entry = items.find(entry => entry.number === number);
                if (entry) all.show(entry);
            };
            return newArchive => {
                archive = newArchive;
                all.update(placed());
            };
        }
        """#

    /// The side panel of a request.
    static let requestDetails = #"""
        // A request as a curl command for a POSIX shell; the document has no secrets.
        function curl({ request = {} }) {
            const word = text => /^[\w.\/:-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
            const post = request.postData ?? {}, method = String(request.method ?? "GET");
            let first = "curl";
            if (method === "HEAD" && !post.text) first += " -I";
            else if (method !== "GET" || post.text) first += " -X " + word(method);
            const options = list(request.headers).map(({ name, value }) => "-H " + word(value === "" ? `${name};` : `${name}: ${value}`));
            const isBinary = post._encoding === "base64";
            if (post.text && isBinary) options.push("--data-binary " + word(`<${base64Size(post.text)} bytes of binary data>`));
            else if (post.text) options.push("--data-raw " + word(String(post.text)));
            return [first + " " + word(String(request.url ?? "")), ...options].join(" \\\n  ");
        }
        const base64Size = text => Math.floor(text.length * 3 / 4);
        function requestDetail(entry, sectionName) {
            const { request = {}, response = {} } = entry, parts = measured(entry), time = entry.time || 0;
            const status = make("span", { role: "status", class: "quiet" }), command = make("div");
            const copied = button("Copy as cURL", async () => {
                const text = curl(entry);
                command.replaceChildren(preformatted("Command", text));
                status.textContent = await copy(text) ? "Copied" : "The browser forbids copying; select the text.";
            });
            const hasNoBodies = isLive && sectionName === "Requests";
            return [
                hasFailed(entry) ? make("p", { class: "callout" }, `Failed: ${failure(entry)}`) : null,
                make("div", { class: "actions" }, copied, status), command,
                facts([["Status", statusPill(entry)], ["Host", address(entry).host],
                    ["Started (UTC)", clock(Date.parse(entry.startedDateTime) * 1000)],
                    ["Duration", entry._isRunning ? null : milliseconds(time)], ["Size", bytes(sizeOf(entry))]]),
                make("h3", {}, "Timing"),
                parts.length ? make("div", { class: "timing" }, parts.map(({ title, kind, from, to }) => make("div", {},
                    make("span", {}, title), spans([{ from: from / Math.max(time, to), to: to / Math.max(time, to), kind }],
                        `${title}: ${milliseconds(to - from)}`), make("span", { class: "number" }, milliseconds(to - from)))))
                    : quiet(entry._isRunning ? "The request is running." : "The phases weren't measured."),
                make("h3", {}, "Request"), head(request.headers),
                hasNoBodies ? null : body(request.postData?.text, request.postData?._encoding),
                make("h3", {}, "Response"),
                hasNoBodies ? quiet(content.live.hasRecorder ? "The section Exchanges has fields and bodies."
                    : "The app has no recorder for fields and bodies.")
                    : [head(response.headers), body(response.content?.text, response.content?.encoding)],
            ];
        }
        const head = fields => list(fields).length
            ? make("ul", { class: "fields" }, list(fields).map(({ name, value }) =>
                make("li", { class: "data" }, make("strong", {}, name), ": ", value)))
            : quiet("No fields");
        function body(text, encoding) {
            if (!text) return quiet("No body");
            if (encoding === "base64") return quiet(`Binary body, ${count(base64Size(text), "byte")}`);
            try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* The body isn't JSON. */ }
            return preformatted("Body", text.length > 100_000 ? text.slice(0, 100_000) + "…" : text);
        }
        """#
}
