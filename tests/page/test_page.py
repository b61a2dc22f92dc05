"""Every part of the page acts, at the sizes of a desktop and a phone."""

import time
from decimal import ROUND_HALF_UP, Context

import browser
import conftest
import numpy as np
import pytest
from page import (
    BOTH, Viewer, Way, body_pixels, by_id, canvas_alone, click_body, make, no_errors, open_page, panel, paused, report, set_field, touch,
    until,
)
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


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


@pytest.mark.parametrize("driver", ["desktop", "window", "phone", "small", "landscape"], indirect=True)
def test_nothing_is_wider_than_the_page_and_nothing_covers_another(driver, serve, tmp_path):
    make(tmp_path, "ic plummer -n 2000 --scale 1e4Msun:3pc --units msun-pc-kms -o u.hdf5")
    served = serve(
        "run u.hdf5 --dt 1/256 --t-end 1000 --device cpu --threads 1 --serve --control --title "
        "A_cluster_with_a_long_title_that_goes_on_beyond_what_a_phone_has_room_for_in_one_line_or_in_two")
    open_page(driver, served)
    until(lambda: report(driver)["numbers"]["stepsPerSecond"] > 0, "numbers")
    for is_open in (True, False):
        panel(driver, is_open)
        # of the heading what is written, since its own box may be wider
        boxes = driver.execute_script(
            """
            const own = (element) => {
              const range = document.createRange();
              range.selectNodeContents(element);
              const text = range.getBoundingClientRect(), box = element.getBoundingClientRect();
              return [Math.max(text.left, box.left), Math.max(text.top, box.top),
                      Math.min(text.right, box.right), Math.min(text.bottom, box.bottom)];
            };
            const find = (id) => document.getElementById(id);
            const shown = [];
            for (const id of ['title', 'about', 'state-text']) shown.push([id, ...own(find(id))]);
            for (const id of ['tools', 'panel', 'legend', 'controls']) {
              const { left, top, right, bottom } = find(id).getBoundingClientRect();
              if (right > left) shown.push([id, left, top, right, bottom]);
            }
            return shown"""
        )
        width, height = driver.execute_script("return [innerWidth, innerHeight]")
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        for name, left, top, right, bottom in boxes:
            assert left >= 0 and top >= 0 and right <= width and bottom <= height, (name, is_open)
        assert_apart(boxes)
    no_errors(driver)


def assert_apart(boxes):
    """Boxes, a name and left, top, right and bottom, do not overlap."""
    for k, (name, left, top, right, bottom) in enumerate(boxes):
        for other, a, b, c, d in boxes[:k]:
            assert right <= a or c <= left or bottom <= b or d <= top, (name, other)


@pytest.mark.parametrize("driver", ["desktop", "phone", "small"], indirect=True)
def test_numbers_with_units_do_not_run_together(driver, serve, tmp_path):
    make(tmp_path, "ic plummer -n 500 --scale 1e4Msun:3pc --units msun-pc-kms -o u.hdf5")
    open_page(driver, serve("run u.hdf5 --dt 1/256 --t-end 1000 --device cpu --threads 1 --serve --control"))
    panel(driver, True)
    until(lambda: report(driver)["numbers"]["energyError"], "a measured energy")
    paused(driver)
    assert by_id(driver, "number-time").text.endswith(" of 977.8 Myr")
    rows = driver.execute_script(
        "const box = (e) => { const q = e.getBoundingClientRect(); return [e.textContent, q.left, q.top, q.right, q.bottom] };"
        "return [...document.querySelectorAll('.number')].filter((row) => row.clientWidth > 0).map("
        "  (row) => [box(row), box(row.children[0]), box(row.children[1])])"
    )
    assert len(rows) == 6
    assert_apart([box for row in rows for box in row[1:]])
    for (_, left, _, right, _), *texts in rows:
        for text, a, _, b, _ in texts:
            assert a >= left and b <= right + 0.5, text  # half a pixel of rounding
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
    # JavaScript rounds 0.78125 up, Python to the even digit
    digits = Context(prec=4, rounding=ROUND_HALF_UP).create_decimal(numbers[1])
    assert by_id(driver, "number-time").text == f"{float(digits):g} of 100"
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


def test_all_bodies_are_shown_again_from_wherever_the_camera_is(driver, serve):
    open_page(driver, serve("run --ic figure8 --dt 1/256 --t-end 1e9 --device cpu --threads 1 --serve --control"))
    panel(driver, False)
    paused(driver)
    width, height = driver.execute_script("return [innerWidth, innerHeight]")

    def middle():
        pixels = driver.execute_script("return [0, 1, 2].map((k) => manybodyPage.stage.pixel(k))")
        return np.mean(pixels, axis=0)

    for centre in ("mass", "free"):
        set_field(driver, "centre", centre)
        driver.execute_script("manybodyPage.stage.pan(7, 3); manybodyPage.stage.zoom(0.2)")
        until(lambda: np.abs(middle() - [width / 2, height / 2]).max() > width, "bodies out of sight")
        by_id(driver, "home").click()
        # the centre of mass, but for perspective
        until(lambda: np.abs(middle() - [width / 2, height / 2]).max() < 0.05 * height, "bodies in the middle")
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
        until(still(driver), "the end of the motion")
    after, before = moves(
        lambda: ActionChains(driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_UP).key_up(Keys.SHIFT).perform(), "a move")
    assert after["target"] != before["target"]
    # the right button moves, and does not turn
    before = until(still(driver), "the end of the motion")
    drag = ActionChains(driver).w3c_actions
    drag.pointer_action.move_to(stage).pointer_down(button=2).move_by(60, 90).pointer_up(button=2)
    drag.perform()
    after = until(lambda: report(driver)["look"]["target"] != before["target"] and report(driver)["look"], "a move")
    after = until(still(driver), "the end of the motion")
    way = [np.subtract(before[what], after[what]) for what in ("camera", "target")]
    # a motion damped by 9 % a frame goes on for ten frames' way
    assert way[0] == pytest.approx(way[1], abs=2e-3) and np.linalg.norm(way[0]) > 0.1
    ActionChains(driver).scroll_by_amount(0, 300).perform()
    until(lambda: report(driver)["look"]["distance"] > after["distance"] * 1.02, "a zoom")
    no_errors(driver)


def still(driver):
    """A condition: the camera moves by less than 1e-4 in twelve frames, however slowly they are drawn, and this is where
    it is."""
    frames = """const done = arguments[0];
        let left = 12;
        const next = () => (left-- > 0 ? requestAnimationFrame(next) : done());
        next();"""

    def look():
        before = report(driver)["look"]
        driver.execute_async_script(frames)
        after = report(driver)["look"]
        rests = all(np.allclose(before[what], after[what], rtol=0, atol=1e-4) for what in ("camera", "target"))
        return rests and after

    return look


def test_keys_act_as_the_buttons_do(driver, serve, tmp_path):
    open_page(driver, serve())
    state = paused(driver)
    press = lambda key: ActionChains(driver).send_keys(key).perform()
    press(".")
    until(lambda: report(driver)["numbers"]["step"] == state["numbers"]["step"] + 1, "a step")
    press(" ")
    until(lambda: report(driver)["status"]["playing"], "play")
    press(" ")
    until(lambda: not report(driver)["status"]["playing"], "a pause")
    theme = driver.execute_script("return document.documentElement.dataset.theme")
    press("l")
    assert driver.execute_script("return document.documentElement.dataset.theme") != theme
    for is_open in (False, True):
        press("n")
        assert by_id(driver, "panel").is_displayed() is is_open
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    press("p")
    until(lambda: list(tmp_path.glob("manybody-t*.png")), "a saved picture")
    no_errors(driver)


@pytest.mark.parametrize("driver", ["phone"], indirect=True)
def test_touch_turns_and_zooms(driver, serve):
    open_page(driver, serve())
    panel(driver, False)
    paused(driver)
    set_field(driver, "centre", "free")

    before = report(driver)["look"]
    touch(driver, "touchStart", (200, 400))
    for x in range(210, 300, 10):
        touch(driver, "touchMove", (x, 400))
    touch(driver, "touchEnd")
    turned = until(lambda: report(driver)["look"]["camera"] != before["camera"] and report(driver)["look"], "a turn")
    touch(driver, "touchStart", (180, 400), (220, 400))
    for k in range(0, 100, 10):
        touch(driver, "touchMove", (180 - k, 400), (220 + k, 400))
    touch(driver, "touchEnd")
    until(lambda: report(driver)["look"]["distance"] < 0.9 * turned["distance"], "a pinch")
    # two fingers side by side move the picture
    panned = until(still(driver), "the end of the motion")
    touch(driver, "touchStart", (150, 400), (250, 400))
    for y in range(410, 500, 10):
        touch(driver, "touchMove", (150, y), (250, y))
    touch(driver, "touchEnd")
    after = until(lambda: report(driver)["look"]["target"] != panned["target"] and report(driver)["look"], "a move")
    assert after["distance"] == pytest.approx(panned["distance"], rel=0.02)  # the fingers keep their distance
    no_errors(driver)


@BOTH
def test_a_click_shows_the_numbers_of_a_body(driver, serve):
    served = serve("run --ic figure8 --dt 1/256 --t-end 1e9 --device cpu --threads 1 --serve --control")
    open_page(driver, served)
    panel(driver, False)
    paused(driver)
    numbers = by_id(driver, "body")
    width = driver.execute_script("return innerWidth")
    # the run pauses anywhere on the figure: the body farthest from the middle is never in it
    farthest = max(range(3), key=lambda k: abs(body_pixels(driver, k)[0] - width / 2))
    click_body(driver, farthest)
    assert report(driver)["chosen"] == farthest
    until(lambda: by_id(driver, "body-title").text == f"Body {farthest}", "its numbers, where the panel is closed")
    words = by_id(driver, "body-numbers").text
    for name in ("mass", "position", "velocity", "time"):
        assert name in words
    until(lambda: by_id(driver, "marker").is_displayed(), "a ring about it")
    assert not by_id(driver, "numbers").is_displayed()
    # and where it is open, without scrolling
    panel(driver, True)
    assert by_id(driver, "numbers").is_displayed()
    box, all_of_it = numbers.rect, by_id(driver, "panel").rect
    assert box["y"] >= all_of_it["y"] and box["y"] + box["height"] <= all_of_it["y"] + all_of_it["height"]
    assert abs(body_pixels(driver, farthest)[0] - width / 2) > 20
    by_id(driver, "body-follow").click()
    until(lambda: abs(body_pixels(driver, farthest)[0] - width / 2) < 2, "it in the middle")
    assert report(driver)["centre"] == "body"
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
    set_field(driver, "colour", "group")
    assert {entry.text for entry in driver.find_elements(By.CSS_SELECTOR, "#legend-groups li")} == {"0", "1"}
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    by_id(driver, "shot").click()
    file = until(lambda: list(tmp_path.glob("manybody-t*.png")), "a saved picture")[0]
    until(lambda: file.stat().st_size > 1000, "its content")
    saved = np.asarray(Image.open(file).convert("RGB"))
    assert len(np.unique(saved.reshape(-1, 3), axis=0)) > 500
    no_errors(driver)


def test_trails_are_where_bodies_were(driver, serve):
    open_page(driver, serve("run --ic figure8 --dt 1/256 --t-end 1e9 --device cpu --threads 1 --serve --control"))
    panel(driver, False)
    set_field(driver, "speed", 0.6)  # some orbits need no trail: a part of one shows
    set_field(driver, "trails", 1)
    before = report(driver)["frames"]
    until(lambda: report(driver)["frames"] > before + 20, "frames")
    paused(driver)

    def light(length):
        set_field(driver, "trails", length)
        time.sleep(0.3)
        return canvas_alone(driver).max(axis=2)

    with_trails, without = canvas_alone(driver).max(axis=2), light(0)
    assert (with_trails > without + 20).sum() > 200
    # they are added to the bodies, and a new one begins where a body is now
    assert (without > with_trails + 20).sum() == 0
    assert (light(1) > without + 20).sum() < 20
    no_errors(driver)


@BOTH
def test_the_middle_is_the_servers_centre(driver, serve):
    served = serve("run --ic collision -n 1500 --dt 1/256 --t-end 1000 --device cpu --threads 1 --serve --control")
    open_page(driver, served)
    paused(driver)
    numbers = Viewer(served).frame()
    mass, density = numbers[12:15], numbers[15:18]
    apart = np.linalg.norm(np.subtract(mass, density))
    assert apart > 0
    for name, place in (("density", density), ("mass", mass)):
        set_field(driver, "centre", name)
        near = lambda: np.linalg.norm(np.subtract(report(driver)["look"]["middle"], place)) < 1e-3 * apart
        until(near, f"the centre {name} in the middle")
    no_errors(driver)


def test_the_legend_has_the_servers_ranges(driver, serve):
    served = serve("run --ic plummer -n 1500 --dt 1/256 --t-end 1000 --device cpu --threads 1 --serve --control")
    open_page(driver, served)
    paused(driver)
    numbers = Viewer(served).frame()
    for colour, ends in (("speed", numbers[18:20]), ("density", [10 ** q for q in numbers[20:22]])):
        set_field(driver, "colour", colour)
        shown = [float(by_id(driver, f"legend-{name}").text) for name in ("low", "high")]
        assert shown == pytest.approx(ends, rel=0.05)  # two digits: half of the last one of 10 is 5 %
        middle = float(by_id(driver, "legend-middle").text)
        half = sum(ends) / 2 if colour == "speed" else (ends[0] * ends[1]) ** 0.5
        assert middle == pytest.approx(half, rel=0.05)
    no_errors(driver)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_as_light_as_the_system_prefers(driver, serve, theme):
    browser.prefer(driver, theme)
    try:
        open_page(driver, serve())
        panel(driver, False)
        assert driver.execute_script("return document.documentElement.dataset.theme") == theme
        assert (canvas_alone(driver)[:40, :40].mean() > 128) == (theme == "light")
        # what was chosen here is kept
        by_id(driver, "theme").click()
        driver.refresh()
        until(lambda: driver.execute_script("return Boolean(globalThis.manybodyPage)"), "the script")
        assert driver.execute_script("return document.documentElement.dataset.theme") != theme
    finally:
        browser.prefer(driver, "dark")


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
    make(tmp_path, "run --ic plummer -n 500 --t-end 1 --snapshot-every 1/8 --device cpu --out b.hdf5 --quiet")
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
    port = int(served.url.split(":")[2].split("/")[0])
    way = Way(port)
    driver.get(served.url.replace(f":{port}/", f":{way.port}/"))
    until(lambda: driver.execute_script("return Boolean(globalThis.manybodyPage)"), "the script")
    until(lambda: report(driver)["frames"] > 0, "a frame")
    way.close()
    until(lambda: "connection lost" in by_id(driver, "state-text").text, "the loss")
    before = report(driver)["frames"]
    way = Way(port, way.port)
    until(lambda: report(driver)["frames"] > before + 5, "frames")
    assert "running" in by_id(driver, "state-text").text
    way.close()
    driver.get_log("browser")  # the browser notes connections that fail


def test_another_run_at_the_same_address_is_asked_in_vain(driver, serve):
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
