"""The parts of check-inspector that open the page of a running app."""
import json
import os
import pathlib
import statistics
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

OUTLINE = pathlib.Path(__file__).resolve().parent / "inspector-outline.txt"
# The structure of a page without its data: roles, names and columns of what is visible.
STRUCTURE = """(() => {
    const found = [];
    const name = element => element.getAttribute('aria-label') ?? element.closest('label')?.firstChild.data ?? element.textContent;
    function visit(element, depth) {
        const role = element.getAttribute('role') ?? { H1: 'heading', H2: 'heading', BUTTON: 'button', INPUT: element.type, SELECT: 'select',
            MAIN: 'main', HEADER: 'banner', SECTION: element.className === 'card' ? 'region' : undefined }[element.tagName];
        if (element.checkVisibility && !element.checkVisibility()) return;
        // The links of the overview have data as their names.
        if (element.hasAttribute('data-key') && element.className === 'item') return;
        if (['row', 'option', 'cell', 'presentation', 'status', 'img'].includes(role) && !element.querySelector('[role=columnheader]')) return;
        const isNamed = ['heading', 'region', 'button', 'text', 'search', 'checkbox', 'select', 'tab', 'group', 'table', 'listbox', 'tablist', 'columnheader'].includes(role);
        if (role && !['rowgroup', 'row'].includes(role)) found.push('  '.repeat(depth++) + role + (isNamed ? ': ' + name(element).trim() : ''));
        if (element.namespaceURI.endsWith('svg')) return;
        for (const child of element.children) visit(child, depth);
    }
    for (const child of START) visit(child, 0);
    return found.join('\\n');
})()"""


class LiveApp:
    """The test program, whose inspector serves the page."""

    def __init__(self, program, folder):
        resources = folder / "live"
        for name, text in {
            "ApplicationConfig.json": '{"api": {"timeout": 30, "password": "planted-secret"}, "tags": ["one", "two", {"token": "planted-secret"}]}',
            "HostMap.json": json.dumps({"configurations": [{"canonical_host": "api.example.com", "canonical_protocol": "https", "release_key": "PROD", "hosts": [
                {"key": "PROD", "host": "api.example.com"}, {"key": "QA", "host": "qa.example.com"}]}]}),
            "en.lproj/Localizable.strings": '"title" = "Notes"; "cancel" = "Cancel";',
            "de.lproj/Localizable.strings": '"title" = "Notizen";',
        }.items():
            path = resources / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        environment = {**os.environ, "LANG": "en_US.UTF-8", "LANGUAGE": "en"}
        self.process = subprocess.Popen(
            [program, resources, folder / "state"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.url = self.process.stdout.readline().strip()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line):
        self.tell(line)
        return self.process.stdout.readline().strip()

    def state(self):
        return json.loads(self.ask("state"))

    def memory(self):
        """The resident memory in bytes."""
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def end(self):
        self.process.kill()
        self.process.wait()


class LiveCheck:
    def __init__(self, check, app, injections, tags, state, panel):
        self.check, self.browser, self.app = check, check.browser, app
        self.injections, self.tags, self.page_state, self.panel = injections, tags, state, panel

    def expect(self, condition, text):
        self.check.expect(condition, "live: " + text)

    def open(self, url):
        self.browser.open(url)
        self.check.wait("location.href !== 'about:blank' && document.readyState === 'complete' && performance.getEntriesByName('shown').length > 0")
        self.check.wait("document.querySelector('.connection [role=status]').textContent === 'Live'")

    def text(self):
        return self.browser.evaluate(self.panel + ".textContent")

    def begin(self):
        self.open(self.app.url)
        self.expect("token" not in self.browser.evaluate("location.href"), "the address has the token")
        self.browser.evaluate("document.getElementById('tab-Log').click()")
        self.check.wait(self.panel + ".textContent.includes('ready')")
        self.app.tell("log " + json.dumps("a live line"))
        self.check.wait(self.panel + ".textContent.includes('a live line')")
        for url in [self.app.url, self.app.url.split("?")[0]]:
            try:
                urllib.request.urlopen(url)
                self.expect(False, f"{url.split('=')[0]} opens again")
            except urllib.error.HTTPError as error:
                self.expect(error.code == 403, f"status {error.code} for {url.split('=')[0]}")
        self.browser.evaluate("document.getElementById('tab-Overview').click()")
        self.check.wait(self.panel + ".querySelector('[aria-label=\"Errors and warnings\"]').textContent.includes('1 warning')")
        self.expect("planted-secret" not in self.browser.evaluate("document.documentElement.outerHTML"), "a secret is on the page")

    def section(self, name):
        """Selects a tab by the keyboard."""
        self.browser.evaluate("document.querySelector('[role=tab][aria-selected=true]').focus()")
        for _ in range(12):
            if self.browser.evaluate("document.activeElement.id") == "tab-" + name:
                return
            self.check.key("ArrowRight")
        self.expect(False, f"the keyboard doesn't reach the tab {name}")

    def field(self, label, text):
        self.check.focus(f"element.closest('label')?.firstChild.data === '{label}'")
        self.check.type(text)

    def press(self, label, place=None):
        result = (place or self.panel) + ".querySelector('.result')"
        self.check.focus(f"element.tagName === 'BUTTON' && (element.getAttribute('aria-label') ?? element.textContent) === '{label}'")
        self.browser.evaluate(result + ".textContent = ''")
        self.check.key("Enter")
        self.check.wait(f"!['', 'Sent'].includes({result}.textContent)")
        failed = self.browser.evaluate(result + ".className")
        self.expect("error" not in failed, f"{label}: " + self.browser.evaluate(result + ".textContent"))

    def load_exchanges(self, text):
        """Loads the recorded exchanges by the keyboard, until one contains a text."""
        self.check.focus("element.tagName === 'BUTTON' && element.textContent === 'Load exchanges'")
        self.check.key("Enter")
        self.check.wait(self.panel + f".textContent.includes({json.dumps(text)})")

    def actions(self):
        """Each action by the keyboard alone; it arrives in the app, and the page shows its effect."""
        self.section("Hosts")
        self.check.focus("element.closest('label')?.firstChild.data === 'Environment'")
        self.check.key("ArrowDown")
        self.press("Select")
        self.expect(self.app.state()["host"] == "qa.example.com", "the host isn't selected")
        self.check.wait(self.panel + ".textContent.includes('QA: qa.example.com selected')")
        self.press("Reset")
        self.expect(self.app.state()["host"] in ("", "api.example.com"), "the host isn't reset")

        self.section("Configuration")
        self.check.focus("element.classList.contains('disclosure')")
        self.check.key("Enter")
        self.expect('"two"' in self.text(), "the list isn't shown in full")
        # What hides a secret isn't offered as a value.
        self.check.focus("element.getAttribute('aria-label') === 'Override tags'")
        self.check.key("Enter")
        self.expect(self.browser.evaluate("document.activeElement.value") == "", "a value with a hidden part is offered")
        self.check.key("Escape")
        # Escape leaves the value; Enter sets it.
        for key, value in [("Escape", 30), ("Enter", 7)]:
            self.check.focus("element.getAttribute('aria-label') === 'Override api.timeout'")
            self.check.key("Enter")
            focused = self.browser.evaluate("document.activeElement.getAttribute('aria-label') + ' = ' + document.activeElement.value")
            self.expect(focused == "New value of api.timeout = 30", f"the row shows {focused}")
            # The table isn't replaced while a value is typed; the page receives this change meanwhile.
            self.browser.evaluate("""fetch('/actions', { method: 'POST', headers: { 'Content-Type': 'application/json' },
                body: JSON.stringify({ action: 'setValue', name: 'api.%s', value: '1' }) }).then(response => response.text())""" % key)
            time.sleep(0.5)
            self.expect(self.browser.evaluate("document.activeElement.tagName") == "INPUT", "a change of another value ends the typing")
            self.check.select_all()
            self.check.type("7")
            self.check.key(key)
            self.check.wait(f"{self.panel}.textContent.includes('api.{key}')")
            self.check.wait("document.activeElement.getAttribute('aria-label') === 'Override api.timeout'")
            self.expect(self.app.state()["timeout"] == value, f"{key}: the value is {self.app.state()['timeout']}")
        row = f"[...{self.panel}.querySelectorAll('tbody tr')].find(row => row.cells[0].textContent === 'api.timeout').textContent"
        self.check.wait(row + ".includes('over 30')")
        self.expect("run time" in self.browser.evaluate(row), "the row doesn't have its new origin")
        self.press("Restore api.timeout")
        self.expect(self.app.state()["timeout"] == 30, "the value isn't restored")
        self.expect('"two"' in self.text(), "a change of another value closes the list")

        self.section("Strings")
        side = "document.querySelector('.side:not([hidden])')"
        self.check.focus("element.getAttribute('aria-label') === 'cancel in de: missing'")
        self.check.key("Enter")
        self.expect("Shown in en instead" in self.browser.evaluate(side + ".textContent"), "the missing text isn't explained")
        self.check.key("Escape")
        self.check.focus("element.getAttribute('aria-label') === 'title in de: has a text'")
        self.check.key("Enter")
        self.expect("Notizen" in self.browser.evaluate(side + ".textContent"), "the text isn't shown")
        self.field("New text", "Zettel")
        self.press("Override", side)
        self.expect(self.app.state()["title"] == "Zettel", "the text isn't overridden")
        self.press("Restore", side)
        self.expect(self.app.state()["title"] == "Notes", "the text isn't restored")
        self.check.key("Escape")
        focused = self.browser.evaluate("document.activeElement.getAttribute('aria-label')")
        self.expect(focused == "title in de: has a text", f"the focus returns to {focused}")

        self.section("Log")
        self.field("Context of the threshold", "net")
        self.check.focus("element.closest('label')?.firstChild.data === 'Threshold'")
        for _ in range(2):
            self.check.key("ArrowDown")
        self.press("Set threshold")
        self.expect(self.app.state()["threshold"] == "DEBUG", "the threshold isn't set: " + self.app.state()["threshold"])

        self.section("Events")
        self.field("Topic", "note:named")
        self.field("Payload", '"by hand"')
        # Enter in a field is the button after it.
        self.check.key("Enter")
        self.check.wait(self.panel + ".querySelector('[role=table]').textContent.includes('by hand')")
        self.expect("by hand" in self.app.state()["notes"], "the event doesn't arrive")

        self.section("Routes")
        self.field("URL", "/notes/5")
        self.press("Explain")
        self.expect("id=5" in self.text() and not self.app.state()["opened"], "the route isn't explained")
        self.press("Open in the app")
        self.check.wait(self.panel + ".querySelector('.result').textContent.includes('opened')")
        self.expect(self.app.state()["opened"] == "/notes/5", "the route isn't opened")

        self.section("Log")
        self.check.wait(self.panel + ".textContent.includes('opened /notes/5')")
        self.section("Requests")
        self.app.tell("get /notes")
        self.app.tell("get /missing")
        self.check.wait(self.panel + ".textContent.includes('404 failed')")
        self.browser.evaluate(f"[...{self.panel}.querySelectorAll('.link')].find(one => one.textContent.includes('/missing')).click()")
        reason = self.browser.evaluate(side + ".querySelector('.callout')?.textContent") or ""
        self.expect("Not Found" in reason, f"the reason of the failure is {reason!r}")
        # The row is replaced while the side panel is open; the focus returns to the new one.
        self.app.tell("get /notes")
        self.check.wait(self.panel + ".querySelectorAll('.link').length === 3")
        self.check.key("Escape")
        self.expect("/missing" in self.browser.evaluate("document.activeElement.textContent"), "the focus doesn't return to the request")
        self.section("Exchanges")
        self.expect("/missing" not in self.text(), "the exchanges are shown before they are loaded")
        self.load_exchanges("/missing")
        self.section("Requests")
        self.check.focus("element.tagName === 'BUTTON' && element.textContent === 'Pause'")
        self.check.key("Enter")
        self.section("Log")
        self.app.tell("log " + json.dumps("while paused"))
        self.app.state()
        time.sleep(0.3)
        self.expect("while paused" not in self.text(), "a paused page changes")
        self.check.focus("element.tagName === 'BUTTON' && element.textContent === 'Continue'")
        self.check.key("Enter")
        self.check.wait(self.panel + ".textContent.includes('while paused')")
        self.expect(not self.browser.errors(), f"errors: {self.browser.errors()[:3]}")
        unnamed = self.browser.evaluate("""[...document.querySelectorAll('button, input, select, [role=listbox], [role=table], [role=group]')].filter(
            element => !element.textContent.trim() && !element.getAttribute('aria-label') && !element.closest('label')).length""")
        self.expect(unnamed == 0, f"{unnamed} controls have no name")
        print("live: six actions, requests, exchanges and the pause by keyboard")

    def hostile(self):
        """Hostile texts that arrive while the page is open."""
        for name in ["Events", "Requests", "Log"]:
            self.browser.evaluate(f"document.getElementById('tab-{name}').click()")
        for text in self.injections:
            self.app.tell("log " + json.dumps(text))
            self.app.tell("event " + json.dumps(text))
            self.app.tell("get /notes?text=" + urllib.parse.quote(text))
            self.app.tell("head " + json.dumps(text))
        self.app.tell("log " + json.dumps("the end"))
        self.check.wait(self.panel + ".textContent.includes('the end')")
        for name in ["Log", "Events", "Requests", "Exchanges"]:
            self.browser.evaluate(f"document.getElementById('tab-{name}').click()")
            if name == "Exchanges":
                self.load_exchanges("notes?text=")
            if name == "Log":
                for _ in range(len(self.injections)):
                    self.browser.evaluate("document.querySelector('.list').focus()")
                    self.check.key("ArrowUp")
            else:
                self.browser.evaluate(self.panel + ".querySelectorAll('[aria-expanded=false]').forEach(button => button.click())")
            opened = self.check.open_all()
            state = json.loads(self.browser.evaluate(self.page_state))
            state["text"] += opened
            self.expect(state["ran"] is None, f"{name}: a script ran")
            self.expect(set(state["tags"]) <= self.tags, f"{name}: elements {set(state['tags']) - self.tags}")
            self.expect(state["scripts"] == 2 and state["headings"] == 1, f"{name}: {state['scripts']} scripts, {state['headings']} headings")
            bad = [one for one in state["attributes"] if one.startswith("on") or one in ("href", "src", "srcdoc", "action", "xlink:href")]
            self.expect(not bad, f"{name}: attributes {bad}")
            if name == "Events":
                # Payloads are JSON, with escaped quotation marks.
                plain = [text for text in self.injections if text.isprintable() and "\u0301" not in text and not set('"\\') & set(text)]
                lost = [text for text in plain if text not in state["text"]]
                self.expect(len(plain) > 30 and not lost, f"{name}: texts aren't shown: {lost[:3]}")
            if name in ["Requests", "Exchanges"]:
                fields = [text for text in self.injections if text.isascii() and text.isprintable() and text == text.strip()]
                lost = [text for text in fields if "X-Text: " + text not in state["text"]]
                self.expect(len(fields) > 40 and not lost, f"{name}: fields aren't shown: {lost[:3]}")
            self.expect("\u202e" not in self.text(), f"{name}: a character changes the reading order")
        origin = self.app.url.split("/?")[0]
        loaded = {event["params"]["request"]["url"] for event in self.browser.events if event["method"] == "Network.requestWillBeSent"}
        foreign = [url for url in loaded if not url.startswith(origin + "/")]
        self.expect(not foreign, f"the page loaded {foreign}")
        self.expect(not self.browser.errors(), f"errors: {self.browser.errors()[:3]}")
        print(f"live: {len(self.injections)} hostile texts in lines, events, requests and exchanges")

    def outline(self, sections, wide, pale, update):
        """The structure of each section at two widths, light and dark, is that of the file."""
        found = {}
        for width in [360, 1280]:
            for theme in ["light", "dark"]:
                self.browser.set_width(width)
                self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
                parts = [f"# {width} pixels\n" + self.browser.evaluate(STRUCTURE.replace("START", "document.querySelectorAll('header, .tabs')"))]
                for name in sections:
                    self.browser.evaluate(f"document.getElementById('tab-{name}').click()")
                    parts.append(f"## {name}\n" + self.browser.evaluate(STRUCTURE.replace("START", f"[{self.panel}]")))
                    cut, faint = self.browser.evaluate(wide), self.browser.evaluate(pale)
                    self.expect(not cut, f"{name}, {width} pixels: cut off: {cut}")
                    self.expect(not faint, f"{name}, {theme}: too little contrast: {faint}")
                text = "\n".join(parts) + "\n"
                self.expect(found.setdefault(width, text) == text, f"{width} pixels: {theme} has another structure")
        text = "\n".join(found[width] for width in sorted(found))
        if update:
            OUTLINE.write_text(text)
        known = OUTLINE.read_text().splitlines() if OUTLINE.exists() else []
        different = [(old, new) for old, new in zip(known + [""] * len(text), text.splitlines()) if old != new]
        self.expect(not different and len(known) == len(text.splitlines()),
                    f"the structure differs from {OUTLINE.name} ({len(known)} and {len(text.splitlines())} lines): {different[:2]}")
        self.browser.set_width(1280)
        print(f"live: {len(text.splitlines())} lines of structure at 360 and 1,280 pixels, light and dark")

    def load(self, seconds):
        """Events and lines, 1,000 each a second: the memory of the app and of the page doesn't grow."""
        self.open(self.app.ask("url"))
        self.browser.call("Performance.enable")
        self.browser.evaluate("document.getElementById('tab-Events').click()")
        self.app.tell("rate 1000")
        start, app, page, seen, times = time.monotonic(), [], [], [], []
        # The lists are full after this time.
        warm = min(10, seconds / 3)

        def rate():
            return (seen[-1] - seen[0]) / (times[-1] - times[0])

        def look():
            self.browser.events.clear()
            number = self.browser.evaluate(self.panel + ".querySelector('[role=table]').textContent.match(/number (\\d+)/)?.[1]")
            seen.append(int(number or 0))
            times.append(time.monotonic())

        while time.monotonic() - start < warm + seconds:
            time.sleep(max(0.5, seconds / 100))
            look()
            if time.monotonic() - start < warm:
                continue
            self.browser.call("HeapProfiler.collectGarbage")
            metrics = {one["name"]: one["value"] for one in self.browser.call("Performance.getMetrics")["metrics"]}
            page.append(metrics["JSHeapUsedSize"])
            app.append(self.app.memory())
        # After a moment without a processor, the app triggers the missing events as fast as it can.
        wanted, deadline = 950 / self.check.slowness(), time.monotonic() + self.browser.seconds
        while rate() <= wanted and time.monotonic() < deadline:
            time.sleep(0.5)
            look()
        self.app.tell("rate 0")
        self.expect(rate() > wanted, f"only {rate():.0f} events a second arrived")
        for name, values in [("app", app), ("page", page)]:
            third = len(values) // 3
            middle, last = statistics.mean(values[third:2 * third]), statistics.mean(values[2 * third:])
            self.expect(last <= 1.1 * middle, f"the memory of the {name} grows from {middle / 1e6:.1f} to {last / 1e6:.1f} MB")
            print(f"live: {seconds:.0f} s at {rate():.0f} events and as many lines a second: {name} {middle / 1e6:.1f} MB, then {last / 1e6:.1f} MB")
        self.browser.evaluate("document.getElementById('tab-Log').click()")
        self.check.wait("/number \\d+|line \\d+/.test(" + self.panel + ".textContent)")
        self.expect(not self.browser.errors(), f"errors: {self.browser.errors()[:3]}")
