"""Every part of the page acts, at the sizes of a desktop and a phone."""

import io
import json
import struct
import time

import conftest
import numpy as np
import pytest
import websocket
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

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


@BOTH
def test_bodies_are_drawn_and_move(driver, serve):
    open_page(driver, serve())
    until(lambda: report(driver)["framesPerSecond"] > 0, "a drawn frame")
    first, shown = report(driver), canvas_alone(driver)
    assert first["bodies"] == 2000
    # the ground is dark at the edge, the cluster bright in the middle
    height, width = shown.shape[:2]
    middle = shown[height // 2 - 40 : height // 2 + 40, width // 2 - 40 : width // 2 + 40].mean()
    corner = shown[:40, :40].mean()
    assert middle > corner + 40, (middle, corner)
    assert len(np.unique(shown.reshape(-1, 3), axis=0)) > 500
    until(lambda: report(driver)["numbers"]["step"] > first["numbers"]["step"] + 20, "steps")
    assert report(driver)["place"] != first["place"]
    assert (np.abs(canvas_alone(driver) - shown).max(axis=2) > 20).sum() > 100
    no_errors(driver)


@pytest.mark.parametrize("driver", ["desktop", "window", "phone"], indirect=True)
def test_nothing_is_wider_than_the_page_and_nothing_covers_another(driver, serve):
    open_page(driver, serve())
    for is_open in (True, False):
        panel(driver, is_open)
        boxes = driver.execute_script(
            "return ['heading', 'tools', 'panel', 'legend', 'controls'].map((id) => {"
            "  const element = document.getElementById(id), box = element.getBoundingClientRect();"
            "  return [id, box.left, box.top, box.right, box.bottom, getComputedStyle(element).display !== 'none'] })"
        )
        width, height = driver.execute_script("return [innerWidth, innerHeight]")
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        seen = [box[:5] for box in boxes if box[5]]
        for name, left, top, right, bottom in seen:
            assert left >= 0 and top >= 0 and right <= width and bottom <= height, (name, is_open)
        for k, (name, left, top, right, bottom) in enumerate(seen):
            for other, a, b, c, d in seen[:k]:
                # the heading's box is as wide as its longest line may be
                apart = right <= a or c <= left or bottom <= b or d <= top
                assert apart or "heading" in (name, other), (name, other, is_open)
    no_errors(driver)


@pytest.mark.parametrize("driver", ["window", "phone"], indirect=True)
def test_what_the_panel_covers_is_not_the_middle(driver, serve):
    open_page(driver, serve("run --ic figure8 --dt 1/256 --t-end 1e9 --device cpu --threads 1 --serve --control"))
    panel(driver, False)
    width, height = driver.execute_script("return [innerWidth, innerHeight]")

    def middle():
        pixels = driver.execute_script("return [0, 1, 2].map((k) => manybodyPage.stage.pixel(k))")
        return np.mean(pixels, axis=0)

    paused(driver)
    # the centre of mass, but for perspective
    assert middle() == pytest.approx([width / 2, height / 2], abs=0.05 * height)
    panel(driver, True)
    box = driver.find_element(By.ID, "panel").rect
    is_below = box["width"] > 0.8 * width
    free = [width / 2, box["y"] / 2] if is_below else [box["x"] / 2, height / 2]
    until(lambda: middle() == pytest.approx(free, abs=0.05 * height), "the middle of what is free")
    no_errors(driver)


@BOTH
def test_the_numbers_are_the_servers(driver, serve):
    # the energy is measured every hundredth of the run
    served = serve(conftest.RUN.replace("--t-end 1000", "--t-end 100"))
    open_page(driver, served)
    panel(driver, True)
    until(lambda: report(driver)["numbers"]["energyError"], "a measured energy")
    state = paused(driver)
    numbers = Viewer(served).frame()
    shown = {name: float(by_id(driver, f"number-{name}").get_attribute("data-value")) for name in (
        "time", "steps", "pairs", "energy", "energy-error", "force-error")}
    assert state["numbers"]["step"] == numbers[0]
    assert shown == dict(zip(shown, (numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6])))
    assert by_id(driver, "number-time").text == f"{float(f'{numbers[1]:.4g}'):g} of 100"
    assert f"step {int(numbers[0]):,} of 25,600" in by_id(driver, "state-text").text
    assert abs(numbers[5]) < 1e-3 and 0 < numbers[6] < 1e-10  # a run in f64 with a small step
    no_errors(driver)


@BOTH
def test_the_controls_act(driver, serve):
    served = serve()
    open_page(driver, served)
    panel(driver, False)
    state = paused(driver)
    for k in range(1, 4):
        by_id(driver, "step").click()
        until(lambda: report(driver)["numbers"]["step"] == state["numbers"]["step"] + k, "a step")
    set_field(driver, "speed", 0.25)
    until(lambda: report(driver)["status"]["speed"] == 10, "the speed")
    assert by_id(driver, "speed-text").text == "10 steps / s"
    by_id(driver, "play").click()
    begin, first = time.monotonic(), report(driver)["numbers"]["step"]
    until(lambda: report(driver)["numbers"]["step"] >= first + 10, "ten steps")
    # a tenth of a second may be caught up
    assert time.monotonic() - begin > 0.7
    set_field(driver, "speed", 1)
    until(lambda: report(driver)["status"]["speed"] is None, "full speed")
    by_id(driver, "stop").click()
    driver.find_element(By.CSS_SELECTOR, "#ask-stop button[value=no]").click()
    assert served.process.poll() is None
    by_id(driver, "stop").click()
    driver.find_element(By.CSS_SELECTOR, "#ask-stop button[value=stop]").click()
    until(lambda: served.process.poll() is not None, "the end")
    assert served.process.returncode == 130
    until(lambda: "ended (interrupted)" in by_id(driver, "state-text").text, "the word of it")
    assert by_id(driver, "play").get_property("disabled")
    no_errors(driver)


def test_bodies_move_smoothly_between_frames(driver, serve):
    open_page(driver, serve())
    panel(driver, False)
    paused(driver)
    set_field(driver, "speed", 0)  # one step a second
    until(lambda: report(driver)["status"]["speed"] == 1, "the speed")
    by_id(driver, "play").click()

    def seen():
        return driver.execute_script("const q = manybodyPage.report(); return [q.frames, q.place]")

    def moves_without_a_frame():
        (before, start), _ = seen(), time.sleep(0.2)
        after, end = seen()
        return before == after and start != end

    until(moves_without_a_frame, "a place between those of two frames")
    no_errors(driver)


def test_numbers_have_plots_and_near_bodies_are_larger(driver, serve):
    open_page(driver, serve("run --ic figure8 --dt 1/256 --t-end 1e9 --device cpu --threads 1 --serve --control"))
    panel(driver, True)
    drawn = (
        "return [...document.querySelectorAll('#numbers canvas')].slice(0, 2).map((canvas) => canvas.width > 0 &&"
        " canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((q) => q > 0))")
    until(lambda: driver.execute_script(drawn) == [True, True], "lines of time and of steps a second")
    driver.get_log("browser")  # the browser advises on canvases that are read
    paused(driver)

    def lit():
        return (canvas_alone(driver).max(axis=2) > 60).sum()

    before = lit()
    driver.execute_script("manybodyPage.stage.zoom(0.6)")
    until(lambda: lit() > 1.5 * before, "larger bodies")
    no_errors(driver)


def test_without_control_the_buttons_are_disabled(driver, serve):
    open_page(driver, serve(conftest.RUN.replace(" --control", "")))
    for name in ("play", "step", "stop", "speed"):
        assert by_id(driver, name).get_property("disabled"), name
    ActionChains(driver).send_keys(" ").perform()
    assert report(driver)["status"]["playing"]
    no_errors(driver)


def test_mouse_and_keys_move_the_camera(driver, serve):
    open_page(driver, serve())
    panel(driver, False)
    stage = by_id(driver, "stage")

    def moves(act, what):
        before = report(driver)["look"]
        act()
        return until(lambda: (report(driver)["look"] != before) and report(driver)["look"], what), before

    paused(driver)
    set_field(driver, "centre", "free")
    after, before = moves(lambda: ActionChains(driver).drag_and_drop_by_offset(stage, 120, 40).perform(), "a turn")
    assert after["target"] == pytest.approx(before["target"], abs=1e-9)
    assert after["distance"] == pytest.approx(before["distance"], rel=1e-6)
    for keys, changes in ((Keys.ARROW_LEFT, "camera"), ("+", "distance"), ("-", "distance"), ("0", "camera")):
        after, before = moves(lambda: ActionChains(driver).send_keys(keys).perform(), keys)
        assert after[changes] != before[changes]
        time.sleep(0.5)  # the damped motion ends
    after, before = moves(
        lambda: ActionChains(driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_UP).key_up(Keys.SHIFT).perform(), "a move")
    assert after["target"] != before["target"]
    ActionChains(driver).scroll_by_amount(0, 300).perform()
    until(lambda: report(driver)["look"]["distance"] > after["distance"] * 1.02, "a zoom")
    no_errors(driver)


@pytest.mark.parametrize("driver", ["phone"], indirect=True)
def test_touch_turns_and_zooms(driver, serve):
    open_page(driver, serve())
    panel(driver, False)
    paused(driver)

    def touch(kind, *points):
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    before = report(driver)["look"]
    touch("touchStart", (200, 400))
    for x in range(210, 300, 10):
        touch("touchMove", (x, 400))
    touch("touchEnd")
    turned = until(lambda: report(driver)["look"]["camera"] != before["camera"] and report(driver)["look"], "a turn")
    touch("touchStart", (180, 400), (220, 400))
    for k in range(0, 100, 10):
        touch("touchMove", (180 - k, 400), (220 + k, 400))
    touch("touchEnd")
    until(lambda: report(driver)["look"]["distance"] < 0.9 * turned["distance"], "a pinch")
    no_errors(driver)


@BOTH
def test_a_click_shows_the_numbers_of_a_body(driver, serve):
    served = serve("run --ic figure8 --dt 1/256 --t-end 1e9 --device cpu --threads 1 --serve --control")
    open_page(driver, served)
    panel(driver, False)
    paused(driver)
    x, y = report(driver)["pixel"]
    ActionChains(driver).move_to_element_with_offset(by_id(driver, "stage"), 0, 0).perform()
    width, height = driver.execute_script("return [innerWidth, innerHeight]")
    ActionChains(driver).move_by_offset(int(x - width / 2), int(y - height / 2)).click().perform()
    until(lambda: report(driver)["chosen"] >= 0, "a choice")
    panel(driver, True)
    until(lambda: by_id(driver, "body-title").text.startswith("Body "), "its numbers")
    words = by_id(driver, "body-numbers").text
    for name in ("mass", "position", "velocity", "time"):
        assert name in words
    assert by_id(driver, "marker").is_displayed()
    driver.execute_script("document.getElementById('body-follow').click()")
    until(lambda: abs(report(driver)["pixel"][0] - width / 2) < 2 if report(driver)["chosen"] == 0 else True, "it in the middle")
    driver.execute_script("document.getElementById('body-close').click()")
    until(lambda: report(driver)["chosen"] == -1, "no choice")
    no_errors(driver)


def test_every_option_changes_the_picture(driver, serve, tmp_path):
    words = "run --ic collision -n 1500 --dt 1/256 --t-end 1000 --device cpu --precision f32 --threads 1 --serve --control"
    open_page(driver, serve(words))
    panel(driver, True)
    until(lambda: by_id(driver, "legend-low").text not in ("", "–"), "a legend")
    paused(driver)
    time.sleep(1)
    seen = [canvas_alone(driver)]

    def differs(what):
        shown = canvas_alone(driver)
        for other in seen:
            assert (np.abs(shown - other).max(axis=2) > 6).sum() > 50, what
        seen.append(shown)

    for name, value in (
        ("colour", "density"), ("colour", "mass"), ("colour", "group"), ("map", "viridis"), ("brightness", 2), ("size", 1.5),
    ):
        if name == "map":
            set_field(driver, "colour", "speed")
        set_field(driver, name, value)
        time.sleep(0.3)
        differs((name, value))
    ActionChains(driver).send_keys(Keys.ESCAPE).perform()
    by_id(driver, "theme").click()
    time.sleep(0.3)
    differs("theme")
    assert seen[-1][:40, :40].mean() > 200  # light
    by_id(driver, "theme").click()
    set_field(driver, "trails", 1)
    set_field(driver, "centre", "density")
    before = report(driver)["frames"]
    by_id(driver, "play").click()
    until(lambda: report(driver)["frames"] > before + 10, "frames")
    differs("trails")
    set_field(driver, "colour", "group")
    assert {entry.text for entry in driver.find_elements(By.CSS_SELECTOR, "#legend-groups li")} == {"0", "1"}
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    by_id(driver, "shot").click()
    file = until(lambda: list(tmp_path.glob("manybody-t*.png")), "a saved picture")[0]
    until(lambda: file.stat().st_size > 1000, "its content")
    saved = np.asarray(Image.open(file).convert("RGB"))
    assert len(np.unique(saved.reshape(-1, 3), axis=0)) > 500
    no_errors(driver)


@pytest.mark.parametrize("driver", ["desktop", "large"], indirect=True)
def test_a_slow_gpu_draws_fewer_pixels(driver, serve):
    open_page(driver, serve(conftest.RUN.replace("-n 2000", "-n 500")))
    panel(driver, False)

    def size():
        return driver.execute_script("const stage = document.getElementById('stage'); return [stage.width, stage.height]")

    width, height = driver.execute_script("return [innerWidth, innerHeight]")
    if width > 2000:
        # software draws 2560 x 1440 pixels less than 48 times a second
        until(lambda: size()[0] < 1.01 * 1920, "fewer pixels")
    time.sleep(3)
    # never fewer than those of 1920 x 1080, nor of the page; rows are whole
    assert size()[0] * size()[1] >= 0.999 * min(1920 * 1080, width * height)
    assert size()[0] / size()[1] == pytest.approx(width / height, rel=0.002)
    no_errors(driver)


def test_several_viewers_see_the_same(drivers, serve):
    served = serve()
    pages = [conftest.driver_of(drivers, size) for size in ("desktop", "phone")]
    for driver in pages:
        open_page(driver, served)
        panel(driver, False)
    until(lambda: report(pages[0])["status"]["viewers"] == 2, "two viewers")
    state = paused(pages[1])
    until(lambda: by_id(pages[0], "state-text").text.startswith("paused"), "the pause of the other")
    until(lambda: report(pages[0])["numbers"] == state["numbers"], "the same numbers")
    for driver in pages:
        no_errors(driver)


@BOTH
def test_snapshots_are_played_with_a_slider(driver, serve, tmp_path):
    import os
    import subprocess

    words = "run --ic plummer -n 500 --t-end 1 --snapshot-every 1/8 --device cpu --out b.hdf5 --quiet"
    subprocess.run([os.path.abspath(os.environ["MANYBODY_BIN"]), *words.split()], cwd=tmp_path, check=True)
    files = " ".join(f"b.{k:04}.hdf5" for k in range(8))
    open_page(driver, serve(f"view {files} b.hdf5"))
    panel(driver, False)
    until(lambda: report(driver)["numbers"]["index"] == 8, "the end")
    until(lambda: by_id(driver, "slider-text").text == "9 of 9, t = 1", "its words")
    assert not by_id(driver, "stop").is_displayed()
    set_field(driver, "slider", 3)
    until(lambda: report(driver)["numbers"]["time"] == 0.375, "the fourth")
    by_id(driver, "step").click()
    until(lambda: report(driver)["numbers"]["time"] == 0.5, "the fifth")
    by_id(driver, "play").click()
    until(lambda: report(driver)["numbers"]["index"] == 8, "the end again")
    no_errors(driver)


def test_a_lost_connection_comes_back(driver, serve):
    served = serve()
    open_page(driver, served)
    port = served.url.split(":")[2].split("/")[0]
    served.close()
    until(lambda: "connection lost" in by_id(driver, "state-text").text, "the loss")
    # another run at this port has another token, and the page asks in vain; it does not break
    serve(conftest.RUN.replace("--serve", f"--serve {port}"))
    time.sleep(2)
    assert "connection lost" in by_id(driver, "state-text").text
    driver.get_log("browser")  # the browser notes connections that fail
