"""Headless Chromium, driven through its DevTools protocol over a pipe (--remote-debugging-pipe)."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


class Browser:
    """One page of a headless browser. `errors` has what scripts threw and what the console was told as an error."""

    def __init__(self, timeout_s=60):
        program = shutil.which("chromium")
        if program is None:
            raise RuntimeError("chromium is not installed")
        self.errors = []
        self._timeout_s = timeout_s
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._number = 0
        self._received = b""
        read_commands, self._commands = os.pipe()
        self._answers, write_answers = os.pipe()

        def place_pipes():  # the browser reads commands from descriptor 3 and writes to 4
            copies = os.dup(read_commands), os.dup(write_answers)
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        self._process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars", "--disable-dev-shm-usage",
             f"--user-data-dir={self._profile.name}", "about:blank"],
            close_fds=False, preexec_fn=place_pipes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_answers)
        os.set_blocking(self._answers, False)
        self._session = None
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._profile.cleanup()

    def _receive(self, deadline):
        while b"\0" not in self._received:
            if time.monotonic() > deadline:
                raise RuntimeError("the browser does not answer")
            try:
                self._received += os.read(self._answers, 1 << 20)
            except BlockingIOError:
                time.sleep(0.005)
        message, self._received = self._received.split(b"\0", 1)
        return json.loads(message)

    def _call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + self._timeout_s
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def _note(self, event):
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        if event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.errors.append(str([a.get("value", a.get("description")) for a in parameters["args"]]))
        if event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])

    def resize(self, width, height=900):
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        """Sets the colour scheme, "light" or "dark"."""
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, file):
        self._call("Page.navigate", url="file://" + os.path.abspath(file))

    def evaluate(self, expression):
        """The value of a JavaScript expression, which may be a promise."""
        result = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", "a script threw"))
        return result["result"].get("value")

    def wait_for(self, expression):
        """Waits until the expression is true."""
        deadline = time.monotonic() + self._timeout_s
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                raise RuntimeError(f"never true: {expression}")
            time.sleep(0.01)

    def screenshot(self, file):
        """Writes a picture of the whole page, as wide as the window."""
        width, height = self.evaluate("[innerWidth, document.documentElement.scrollHeight]")
        answer = self._call("Page.captureScreenshot", captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})
        with open(file, "wb") as out:
            out.write(base64.b64decode(answer["data"]))
