"""Chromium without a window, for the scripts that open pages."""
import itertools
import json
import os
import select
import subprocess
import time


class Browser:
    """Chromium, controlled by the DevTools protocol over a pipe."""

    # The time limit of each command. The first one includes the browser's start.
    seconds = 60

    def __init__(self, profile):
        (read, self.output), (self.input, write) = os.pipe(), os.pipe()

        def descriptors():
            # The protocol's descriptors are 3 and 4; the pipes may have these numbers themselves.
            first, second = os.dup(read), os.dup(write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             f"--user-data-dir={profile}", "about:blank"],
            close_fds=False, preexec_fn=descriptors, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read)
        os.close(write)
        self.numbers, self.rest, self.session, self.events = itertools.count(1), b"", None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        """Sends a command and returns its result; events that arrive before are stored."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + self.seconds
        while True:
            while b"\0" in self.rest:
                line, self.rest = self.rest.split(b"\0", 1)
                answer = json.loads(line)
                if answer.get("id") == number:
                    if "error" in answer:
                        raise RuntimeError(f"{method}: {answer['error']}")
                    return answer["result"]
                self.events.append(answer)
            if not select.select([self.input], [], [], max(0, deadline - time.monotonic()))[0]:
                raise RuntimeError(f"{method}: no answer in {self.seconds} seconds")
            data = os.read(self.input, 1 << 16)
            if not data:
                raise RuntimeError("chromium ended")
            self.rest += data

    def evaluate(self, script):
        return self.call("Runtime.evaluate", expression=script, awaitPromise=True)["result"].get("value")

    def set_width(self, width):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)

    def open(self, url):
        """Opens a page as a new document, so that no page depends on the one before."""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=url)

    def errors(self):
        """The errors that the page has logged since it was opened."""
        found = []
        for event in self.events:
            details = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                exception = details["exceptionDetails"]
                found.append(f"exception: {exception['text']} {exception.get('exception', {}).get('description', '')}")
            elif event["method"] == "Runtime.consoleAPICalled" and details["type"] == "error":
                found.append("console: " + " ".join(str(a.get("value", "")) for a in details["args"]))
            elif event["method"] == "Log.entryAdded" and details["entry"]["level"] == "error":
                found.append(f"log: {details['entry']['text']} {details['entry'].get('url', '')}")
        return found

    def end(self):
        self.process.kill()
        self.process.wait()
