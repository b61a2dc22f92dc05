"""The page as a test drives it, and a viewer that is a program."""

import io
import json
import os
import socket
import struct
import subprocess
import threading
import time

import conftest
import numpy as np
import pytest
import websocket
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

BOTH = pytest.mark.parametrize("driver", ["desktop", "phone"], indirect=True)


def report(driver):
    return driver.execute_script("return manybodyPage.report()")


def until(condition, what, patience=conftest.PATIENCE):
    """Waits until the condition gives something, and returns it."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"not within {patience} s: {what}")


def open_page(driver, served):
    driver.get(served.url)
    until(lambda: driver.execute_script("return Boolean(globalThis.manybodyPage)"), "the script")
    until(lambda: report(driver)["frames"] > 0, "a frame")


def by_id(driver, name):
    return driver.find_element(By.ID, name)


def set_field(driver, name, value):
    driver.execute_script(
        "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
        "field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input'))",
        name,
        str(value),
    )


def paused(driver):
    """Pauses the run, and waits until no frame is under way."""
    if report(driver)["status"]["playing"]:
        by_id(driver, "play").click()
    until(lambda: not report(driver)["status"]["playing"], "a pause")

    def is_still():
        before = report(driver)
        time.sleep(0.4)
        return report(driver)["frames"] == before["frames"]

    until(is_still, "no more frames")
    return report(driver)


def panel(driver, is_open):
    if (by_id(driver, "panel-button").get_attribute("aria-expanded") == "true") != is_open:
        by_id(driver, "panel-button").click()


def picture(driver):
    """The page as numbers: [height, width, 3]."""
    return np.asarray(Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")).astype(int)


def canvas_alone(driver):
    """The picture of the bodies, without panels."""
    driver.execute_script(
        "for (const part of document.body.children) if (part.id !== 'stage') part.style.visibility = 'hidden'")
    shown = picture(driver)
    driver.execute_script("for (const part of document.body.children) part.style.visibility = ''")
    return shown


def no_errors(driver):
    severe = [line for line in driver.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]
    # SwiftShader's own words
    assert [line for line in severe if "GPU stall" not in line["message"]] == []


class Viewer:
    """A viewer that is a program."""

    def __init__(self, served):
        url = served.url.replace("http://", "ws://").replace("/?", "/live?")
        self.socket = websocket.create_connection(url, timeout=conftest.PATIENCE, suppress_origin=True)

    def frame(self):
        """The 24 numbers of the next frame."""
        while True:
            data = self.socket.recv()
            if isinstance(data, bytes) and data[:4] == b"mbF1":
                self.socket.send(json.dumps({"got": struct.unpack_from("<I", data, 8)[0]}))
                return struct.unpack_from("<24d", data, 16)


def make(folder, words):
    """Runs a command that ends."""
    subprocess.run([os.path.abspath(os.environ["MANYBODY_BIN"]), *words.split()], cwd=folder, check=True, capture_output=True)


def apart(driver, *names):
    """Whether these parts of the page, of those that are shown, do not overlap."""
    boxes = [element.rect for element in (by_id(driver, name) for name in names) if element.is_displayed()]
    return all(
        a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
        or a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"]
        for k, a in enumerate(boxes) for b in boxes[:k])


class Way:
    """A way to a port of this machine that can be cut, as by ssh -L."""

    def __init__(self, to, port=0):
        self.to, self.ends = to, []
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                here = self.listener.accept()[0]
                there = socket.create_connection(("127.0.0.1", self.to))
                self.ends += [here, there]
                for pair in ((here, there), (there, here)):
                    threading.Thread(target=self.carry, args=pair, daemon=True).start()
        except OSError:
            pass  # closed

    def carry(self, source, target):
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            end.close()

    def close(self):
        for end in (self.listener, *self.ends):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


def body_pixels(driver, k):
    """Where a body is on the page."""
    return driver.execute_script("return manybodyPage.stage.pixel(arguments[0])", k)


def click_body(driver, k):
    """Clicks where a body is drawn."""

    def rests():
        before = body_pixels(driver, k)
        time.sleep(0.3)
        return body_pixels(driver, k) == before and before

    x, y = until(rests, "a body at rest")
    width, height = driver.execute_script("return [innerWidth, innerHeight]")
    ActionChains(driver).move_to_element_with_offset(by_id(driver, "stage"), 0, 0).perform()
    ActionChains(driver).move_by_offset(round(x - width / 2), round(y - height / 2)).click().perform()
    until(lambda: report(driver)["chosen"] >= 0, "a choice")


def touch(driver, kind, *points):
    points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
    driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
