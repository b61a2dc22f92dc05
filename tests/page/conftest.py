"""The live view's page in headless Chromium. MANYBODY_BIN names the command:

    MANYBODY_BIN=target/release/manybody pytest tests/page
"""

import json
import os
import subprocess
import threading

import browser
import pytest

# seconds that a busy machine may take for what takes a moment
PATIENCE = 60

# one thread, so that the browser has another
RUN = "run --ic plummer -n 2000 --dt 1/256 --t-end 1000 --device cpu --threads 1 --serve --control"


class Served:
    """A command that serves."""

    def __init__(self, words, folder):
        command = [os.path.abspath(os.environ["MANYBODY_BIN"]), *words.split(), "--json"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]
        threading.Thread(target=lambda: [None for _ in self.process.stdout], daemon=True).start()

    def close(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def serve(tmp_path):
    open_ones = []

    def start(words=RUN):
        open_ones.append(Served(words, tmp_path))
        return open_ones[-1]

    yield start
    for served in open_ones:
        served.close()


@pytest.fixture(scope="session")
def drivers():
    """A browser of each size, for all tests."""
    kept = {}
    yield kept
    for driver in kept.values():
        driver.quit()


@pytest.fixture(autouse=True)
def nothing_drawn_afterwards(drivers):
    """Leaves no page open: it would go on drawing, by the processor, during the tests in other browsers."""
    yield
    for driver in drivers.values():
        driver.get("about:blank")


@pytest.fixture
def driver(request, drivers):
    return driver_of(drivers, getattr(request, "param", "desktop"))


def driver_of(drivers, size):
    if size not in drivers:
        drivers[size] = browser.open_browser(size)
    driver = drivers[size]
    driver.get("about:blank")
    driver.get_log("browser")  # what came before is not of this test
    return driver


def pytest_collection_modifyitems(items):
    if not browser.is_here():
        for item in items:
            item.add_marker(pytest.mark.skip(reason="no chromium with chromedriver"))
