"""Snapshots on the page: each as it is in its file, wherever its bodies are."""

import numpy as np
import pytest
from page import (
    BOTH, apart, body_pixels, by_id, canvas_alone, click_body, make, no_errors, open_page, panel, report, set_field, until,
)


def write(folder, name, position, ids=None, mass=1.0):
    """Bodies at rest as a CSV file."""
    ids = range(len(position)) if ids is None else ids
    lines = [f"{k},{mass!r},{x!r},{y!r},{z!r},0,0,0" for k, (x, y, z) in zip(ids, np.asarray(position).tolist())]
    (folder / name).write_text("\n".join(["id,mass,x,y,z,vx,vy,vz", *lines]) + "\n")


def cluster(n, seed=1):
    return np.random.default_rng(seed).normal(size=(n, 3))


@BOTH
def test_each_snapshot_has_its_own_bodies(driver, serve, tmp_path):
    place = 0.3 * cluster(100)  # the camera is placed for the first snapshot, of one body: a unit of length is seen
    write(tmp_path, "one.csv", place[:1])
    write(tmp_path, "few.csv", place[:3])
    write(tmp_path, "many.csv", place[::-1], ids=range(99, -1, -1), mass=2.5)
    (tmp_path / "late.csv").write_text("id,mass,x,y,z,vx,vy,vz\n0,1,zero,0,0,0,0,0\n")
    open_page(driver, serve("view one.csv few.csv many.csv late.csv --paused"))
    panel(driver, False)
    assert by_id(driver, "about").text == "1 body, one.csv"
    set_field(driver, "slider", 1)
    until(lambda: by_id(driver, "about").text == "3 bodies, few.csv", "the second")
    click_body(driver, 2)
    until(lambda: by_id(driver, "body-title").text == "Body 2", "its numbers")
    set_field(driver, "slider", 2)
    until(lambda: by_id(driver, "about").text == "100 bodies, many.csv", "the third")
    assert report(driver)["bodies"] == 100
    assert "shown" not in by_id(driver, "state-text").text
    # the chosen one is found by its id, at another place of the file
    until(lambda: "2.5" in by_id(driver, "body-numbers").text, "its new mass")
    assert report(driver)["chosen"] == 97 and by_id(driver, "body-title").text == "Body 2"
    # one that cannot be shown is named, and the one before stays
    set_field(driver, "slider", 3)
    until(lambda: "late.csv" in by_id(driver, "message").text, "the reason")
    assert by_id(driver, "slider-text").text == "4 of 4, not shown"
    assert report(driver)["bodies"] == 100
    set_field(driver, "slider", 0)
    until(lambda: by_id(driver, "about").text == "1 body, one.csv", "the first")
    assert by_id(driver, "slider-text").text == "1 of 4, t = 0"
    assert report(driver)["chosen"] == -1 and not by_id(driver, "body").is_displayed()
    no_errors(driver)


@pytest.mark.parametrize("driver", ["desktop", "window", "phone", "small", "landscape"], indirect=True)
def test_nothing_covers_another_beside_the_slider(driver, serve, tmp_path):
    write(tmp_path, "a.csv", cluster(100))
    (tmp_path / "late.csv").write_text("id,mass,x,y,z,vx,vy,vz\n" + "0,1,0,0,0,0,0,0\n" * 3 + "0,1,zero,0,0,0,0,0\n")
    open_page(driver, serve("view a.csv late.csv --paused"))
    set_field(driver, "slider", 1)
    until(lambda: "late.csv" in by_id(driver, "message").text, "the reason")
    width, height = driver.execute_script("return [innerWidth, innerHeight]")
    for is_open in (True, False):
        panel(driver, is_open)
        names = ["tools", "panel", "legend", "controls"]
        until(lambda: apart(driver, *names), f"room for each of them where the panel is {is_open}")
        # a message may lie on the panel of a phone, and is not narrower than it needs to be
        assert apart(driver, "message", "heading", "controls")
        box = by_id(driver, "message").rect
        assert 0 <= box["x"] and box["x"] + box["width"] <= width
        assert box["width"] > 0.6 * min(width - (308 if is_open and width > 720 else 0), 560)
    no_errors(driver)


def test_all_bodies_of_another_size_are_shown_on_demand(driver, serve, tmp_path):
    write(tmp_path, "small.csv", cluster(200))
    write(tmp_path, "large.csv", 1000 * cluster(200) + 5e5)
    open_page(driver, serve("view small.csv large.csv --paused"))
    panel(driver, False)
    first, _ = until(lambda: lit(driver), "a picture")
    set_field(driver, "slider", 1)
    until(lambda: report(driver)["numbers"]["index"] == 1, "the second")
    by_id(driver, "home").click()
    until(lambda: lit(driver)[0] == pytest.approx(first, rel=0.1), "all of its bodies")
    no_errors(driver)


def test_colours_are_those_of_the_snapshot_that_is_shown(driver, serve, tmp_path):
    place = cluster(300)
    for k, speed in enumerate((1, 2, 40, 3)):
        lines = [f"{i},1,{x},{y},{z},{speed * (i - 149.5) / 150},0,0" for i, (x, y, z) in enumerate(place.tolist())]
        (tmp_path / f"{k}.csv").write_text("\n".join(["id,mass,x,y,z,vx,vy,vz", *lines]) + "\n")
    open_page(driver, serve("view 0.csv 1.csv 2.csv 3.csv --paused"))
    for k, speed in ((2, 40), (0, 1), (3, 3)):
        set_field(driver, "slider", k)
        until(lambda: report(driver)["numbers"]["index"] == k, "the snapshot")
        assert report(driver)["scale"]["range"][1] == pytest.approx(0.99 * speed, rel=0.05)
    no_errors(driver)


def test_numbers_of_a_unit_are_in_the_values(driver, serve, tmp_path):
    make(tmp_path, "ic plummer -n 100 --scale 1e11Msun:5000pc --units gadget -o a.hdf5")
    make(tmp_path, "run a.hdf5 --eps 1kpc --dt 1Myr --t-end 1Myr --out g.hdf5")
    open_page(driver, serve("view g.hdf5"))
    panel(driver, True)
    energy = float(by_id(driver, "number-energy").get_attribute("data-value"))
    number, *unit = by_id(driver, "number-energy").text.split()
    assert unit == ["Msun", "km^2/s^2"] and float(number) == pytest.approx(1e10 * energy, rel=1e-4)
    click_body(driver, 0)
    until(lambda: "1e9 Msun" in by_id(driver, "body-numbers").text, "its mass")
    no_errors(driver)


def test_a_body_much_heavier_than_others_is_larger(driver, serve, tmp_path):
    shell = cluster(300)
    shell /= np.linalg.norm(shell, axis=1, keepdims=True)
    lights = []
    for mass in (1, 1000):
        lines = [f"{k},{mass if k == 0 else 1},{x},{y},{z},0,0,0" for k, (x, y, z) in enumerate([(0, 0, 0), *shell])]
        (tmp_path / f"{mass}.csv").write_text("\n".join(["id,mass,x,y,z,vx,vy,vz", *lines]) + "\n")
        open_page(driver, serve(f"view {mass}.csv"))
        panel(driver, False)
        set_field(driver, "centre", "free")
        until(lambda: report(driver)["framesPerSecond"] > 0, "a drawn frame")
        x, y = np.round(body_pixels(driver, 0)).astype(int)
        lights.append((canvas_alone(driver)[y - 20 : y + 20, x - 20 : x + 20].max(axis=2) > 60).sum())
    assert lights[1] > 2 * lights[0] > 0, lights
    no_errors(driver)


def test_a_scale_with_equal_ends_has_one_number(driver, serve, tmp_path):
    write(tmp_path, "one.csv", cluster(1))
    open_page(driver, serve("view one.csv"))
    texts = [by_id(driver, f"legend-{name}").text for name in ("low", "middle", "high")]
    assert texts == ["", "0", ""]


def lit(driver):
    """How far what is bright reaches across the picture, in pixels, and where its middle is from that of the page."""
    shown = canvas_alone(driver).max(axis=2)
    rows, columns = np.nonzero(shown > 60)
    height, width = shown.shape
    middle = np.array([np.median(columns) - width / 2, np.median(rows) - height / 2])
    return np.ptp(columns), middle


def test_one_body_far_away_leaves_the_others_in_the_picture(driver, serve, tmp_path):
    place = cluster(200)
    write(tmp_path, "all.csv", place)
    place[7] = [1e6, 0, 0]
    write(tmp_path, "far.csv", place)
    seen = []
    for name in ("all.csv", "far.csv"):
        open_page(driver, serve(f"view {name}"))
        panel(driver, False)
        until(lambda: report(driver)["framesPerSecond"] > 0, "a drawn frame")
        seen.append(lit(driver))
        assert report(driver)["centre"] == ("mass" if name == "all.csv" else "density")
    # the densest point of 200 bodies is not their mean: a part of the picture apart
    assert seen[1][0] > 0.7 * seen[0][0] and np.abs(seen[1][1]).max() < 0.1 * seen[0][0], seen
    no_errors(driver)


@pytest.mark.parametrize("size", [1e-40, 1e40])
def test_very_large_and_small_systems_are_seen(driver, serve, tmp_path, size):
    seen = []
    for scale in (1.0, size):
        write(tmp_path, "a.csv", scale * cluster(200), mass=1e40)
        open_page(driver, serve("view a.csv"))
        panel(driver, False)
        until(lambda: report(driver)["framesPerSecond"] > 0, "a drawn frame")
        seen.append(canvas_alone(driver))
    # the same picture; one level of brightness is the noise of rounding
    assert (np.abs(seen[0] - seen[1]).max(axis=2) > 2).mean() < 1e-3
    assert (seen[0].max(axis=2) > 60).sum() > 500
    no_errors(driver)
