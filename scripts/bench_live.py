#!/usr/bin/env python3
"""What the live view costs, and how fast the page draws.

    pip install websocket-client
    python3 scripts/bench_live.py frames [--chromium chromium] [--flag=--use-angle=vulkan ...] -- run -n 16384 ...
    python3 scripts/bench_live.py link [--viewers 2] [--seconds 10] -- run -n 1e6 ...
    python3 scripts/bench_live.py cost [--viewers 2] [--repeats 5] -- run -n 16384 --t-end 1 ...
    python3 scripts/bench_live.py share [--viewers 2] [--seconds 20] -- run -n 16384 --t-end 1000 ...

What follows -- is a command of manybody without --serve, --json and --out. MANYBODY_BIN names the program.

frames  serves the command, opens its page in headless Chromium, and prints, for 1920 x 1080 at two pixels a point: frames
        a second (requestAnimationFrame), the median, the 99th of 100 and the longest time between two, and the time of a
        drawn frame: of one whose pixel is read back at once, and the slope over 1 and 101 frames before a pixel is read
        (in Chromium, gl.finish waits for nothing). With --free, the page draws as fast as it can instead of 60 times a
        second.
link    counts the bytes that each of some viewers receives, and the frames.
cost    runs the command in turns without and with viewers, and compares `elapsed_s`, the processor time and the files.
share   runs the command with viewers for a while, and compares the processor time of the threads of the live view with that
        of all threads (Linux): what cost measures, for machines that have other work.

--cores and --viewer-cores (as in 0-3) bind the command, and the viewers, to processors: viewers are on other machines.
"""

import argparse
import hashlib
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import websocket


def processors(text):
    """"0-2,5" as a set."""
    parts = [part.split("-") for part in text.split(",")]
    return {k for part in parts for k in range(int(part[0]), int(part[-1]) + 1)}


def bind(text):
    return (lambda: os.sched_setaffinity(0, processors(text))) if text else None


class Served:
    """A command, with the live view or without."""

    def __init__(self, words, folder, cores, is_served):
        program = os.path.abspath(os.environ.get("MANYBODY_BIN", "target/release/manybody"))
        more = ["--serve"] if is_served and words[0] == "run" else []
        command = [program, *words, *more, "--json"]
        self.log = open(folder / "stderr", "w+")
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=self.log, text=True,
                                        preexec_fn=bind(cores))
        first = json.loads(self.process.stdout.readline()) if more or words[0] == "view" else None
        self.url = first and first["url"]
        self.events = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def socket(self):
        return self.url.replace("http://", "ws://").replace("/?", "/live?")

    def wait(self):
        """The events, to the end; notes the processor time."""
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.processor = usage.ru_utime + usage.ru_stime
        self.reader.join()
        self.log.seek(0)
        assert self.process.returncode == 0, self.log.read()
        return self.events

    def kill(self):
        self.process.kill()
        self.process.wait()


VIEWER = """
import json, struct, sys, time, websocket
begin, end = None, float(sys.argv[2])
frames = casts = size = bodies = 0
steps = []
try:
    socket = websocket.create_connection(sys.argv[1], suppress_origin=True)
except OSError:  # the run has ended already
    begin, end = time.monotonic(), 0
while begin is None or time.monotonic() < begin + end:
    try:
        data = socket.recv()
    except Exception:
        break
    if not data:
        break
    size += len(data)
    if isinstance(data, bytes) and data[:4] == b"mbF1":
        number, bodies = struct.unpack_from("<II", data, 8)
        socket.send(json.dumps({"got": number}))
        if begin is None:  # the first frame comes with the cast
            begin, size, casts = time.monotonic(), 0, 0
            continue
        frames += 1
        steps.append(struct.unpack_from("<d", data, 16)[0])
    elif isinstance(data, bytes):
        casts += 1
seconds = time.monotonic() - (begin or time.monotonic())
print(json.dumps({"seconds": seconds, "bytes": size, "frames": frames, "casts": casts, "bodies": bodies,
                  "states": len(set(steps))}))
"""


def viewers(served, number, seconds, cores):
    command = [sys.executable, "-c", VIEWER, served.socket(), str(seconds)]
    start = lambda: subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=bind(cores))
    return [start() for _ in range(number)]


def link(args):
    with tempfile.TemporaryDirectory() as folder:
        served = Served(args.command, pathlib.Path(folder), args.cores, True)
        try:
            for viewer in viewers(served, args.viewers, args.seconds, args.viewer_cores):
                seen = json.loads(viewer.communicate()[0])
                print(f"{seen['bytes'] / seen['seconds'] / 1e6:.2f} MB/s, {seen['frames'] / seen['seconds']:.1f} frames/s of "
                      f"{seen['bodies']} bodies, {seen['states'] / seen['seconds']:.1f} states/s, {seen['casts']} casts, "
                      f"{seen['seconds']:.1f} s")
        finally:
            served.kill()


def files_of(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.name != "stderr"}


def timed(args, is_served):
    """Seconds of a run as it says itself, and of the processor; its files, and the frames that its viewers got."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        served = Served([*args.command, "--out", "b.hdf5"], folder, args.cores, is_served)
        those = viewers(served, args.viewers, 1e9, args.viewer_cores) if is_served else []
        end = [event for event in served.wait() if event["event"] == "end"][-1]
        seen = [json.loads(viewer.communicate()[0]) for viewer in those]
        rates = [viewer["frames"] / max(viewer["seconds"], 1e-9) for viewer in seen]
        return end["elapsed_s"], served.processor, files_of(folder), rates


def cost(args):
    alone, watched, rates, files, processor = [], [], [], [], {False: [], True: []}
    for k in range(2 * args.repeats):
        is_served = k % 2 == 1 if (k // 2) % 2 == 0 else k % 2 == 0  # without, with, with, without
        seconds, spent, made, frames = timed(args, is_served)
        processor[is_served].append(spent)
        (watched if is_served else alone).append(seconds)
        rates += frames
        files.append(made)
    ratios = [b / a for a, b in zip(alone, watched)]
    print(f"without viewers {statistics.median(alone):.3f} s ({min(alone):.3f} to {max(alone):.3f}), with {args.viewers} "
          f"{statistics.median(watched):.3f} s ({min(watched):.3f} to {max(watched):.3f}); ratio of the medians "
          f"{statistics.median(watched) / statistics.median(alone):.4f}, median of the ratios {statistics.median(ratios):.4f}; "
          f"{statistics.median(rates):.1f} frames/s a viewer; seconds of the processor "
          f"{statistics.median(processor[False]):.3f} and {statistics.median(processor[True]):.3f}, ratio "
          f"{statistics.median(processor[True]) / statistics.median(processor[False]):.4f}; files "
          f"{'the same' if all(made == files[0] for made in files) else 'DIFFER'} ({', '.join(sorted(files[0]))})")


def processor_times(pid):
    """Seconds of each thread, by its number [proc(5)], with its name."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        name, rest = (task / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        fields = rest.split()
        found[task.name] = name, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def share(args):
    with tempfile.TemporaryDirectory() as folder:
        served = Served(args.command, pathlib.Path(folder), args.cores, True)
        try:
            those = viewers(served, args.viewers, args.seconds + 6, args.viewer_cores)
            time.sleep(5)  # the first densities
            before, begin = processor_times(served.process.pid), time.monotonic()
            time.sleep(args.seconds)
            after, seconds = processor_times(served.process.pid), time.monotonic() - begin
            seen = [json.loads(viewer.communicate()[0]) for viewer in those]
        finally:
            served.kill()
    spent = {key: (name, time - before.get(key, (name, 0))[1]) for key, (name, time) in after.items()}
    live = sum(time for name, time in spent.values() if name.startswith("live-"))
    everything = sum(time for _, time in spent.values())
    rates = [viewer["frames"] / viewer["seconds"] for viewer in seen]
    print(f"live view {live:.2f} s, all threads {everything:.2f} s of the processor in {seconds:.1f} s: "
          f"{100 * live / everything:.2f} %; {', '.join(f'{rate:.1f}' for rate in rates)} frames/s of {seen[0]['bodies']} "
          f"bodies; {1000 * live / seconds / max(rates):.2f} ms a frame")


class Browser:
    """Chromium, by its DevTools protocol."""

    def __init__(self, chromium, flags, cores):
        self.folder = tempfile.TemporaryDirectory()
        command = [chromium, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-port=0",
                   f"--user-data-dir={self.folder.name}", "--force-prefers-reduced-motion", *flags, "about:blank"]
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, preexec_fn=bind(cores))
        port = self.port()
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        page = next(page for page in pages if page["type"] == "page")
        self.socket = websocket.create_connection(page["webSocketDebuggerUrl"], suppress_origin=True, timeout=120)
        self.number = 0

    def port(self):
        path = pathlib.Path(self.folder.name) / "DevToolsActivePort"
        for _ in range(600):
            if path.exists() and path.read_text().strip():
                return path.read_text().split("\n")[0]
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.log.seek(0)
        raise SystemExit(f"Chromium does not start: {self.log.read()[-3000:]}")

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def do(self, script):
        """The value of an expression, or of the promise that it is."""
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def close(self):
        self.process.kill()
        self.process.wait()
        time.sleep(0.5)
        self.folder.cleanup()


RENDERER = """(() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  const known = gl && gl.getExtension("WEBGL_debug_renderer_info");
  return gl ? gl.getParameter(known.UNMASKED_RENDERER_WEBGL) : "no WebGL 2";
})()"""

INTERVALS = """new Promise((done) => {
  const at = [], begin = performance.now(), frames = manybodyPage.report().frames;
  const next = (now) => {
    at.push(now);
    const passed = performance.now() - begin;
    if (passed < 1000 * SECONDS) requestAnimationFrame(next);
    else done({ at, received: (manybodyPage.report().frames - frames) / (passed / 1000) });
  };
  requestAnimationFrame(next);
})"""

DRAWN = """(() => {
  const stage = manybodyPage.stage, gl = stage.renderer.getContext(), pixel = new Uint8Array(4);
  const lasts = (frames) => {
    const begin = performance.now();
    for (let k = 0; k < frames; k++) stage.render();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return performance.now() - begin;
  };
  for (let k = 0; k < 3; k++) lasts(1);
  const one = [], many = [];
  for (let k = 0; k < 9; k++) { one.push(lasts(1)); many.push(lasts(MANY + 1)); }
  return { one, many, size: [gl.drawingBufferWidth, gl.drawingBufferHeight] };
})()"""


def say_intervals(found, what):
    apart = sorted(b - a for a, b in zip(found["at"], found["at"][1:]))
    if not apart:
        print(f"{what}: not two frames drawn")
        return
    rate = 1000 * len(apart) / (found["at"][-1] - found["at"][0])
    print(f"{what}: {rate:.1f} frames/s drawn, apart {apart[len(apart) // 2]:.2f} ms, 99th of 100 "
          f"{apart[len(apart) * 99 // 100]:.2f}, longest {apart[-1]:.2f}; {found['received']:.1f} frames/s received", flush=True)


def frames(args):
    flags = [*args.flag, *(["--disable-gpu-vsync", "--disable-frame-rate-limit"] if args.free else [])]
    browser = Browser(args.chromium, flags, args.viewer_cores)
    try:
        width, height, ratio = (float(q) for q in args.size.replace("x", ",").split(","))
        browser.call("Emulation.setDeviceMetricsOverride", width=int(width), height=int(height), deviceScaleFactor=ratio,
                     mobile=False)
        print(browser.do(RENDERER), flush=True)
        with tempfile.TemporaryDirectory() as folder:
            served = Served(args.command, pathlib.Path(folder), args.cores, True)
            try:
                see(args, browser, served)
            finally:
                served.kill()
    finally:
        browser.close()


def see(args, browser, served):
    browser.call("Page.navigate", url=served.url)
    end = time.monotonic() + 120
    while not browser.do("Boolean(globalThis.manybodyPage && manybodyPage.report().frames > 3)"):
        assert time.monotonic() < end, "no frames"
        time.sleep(0.2)
    time.sleep(args.settle)  # where frames are late, the page draws fewer pixels
    print(browser.do("document.getElementById('about').textContent + '; ' + document.getElementById('state-text').textContent"))
    set_trails = "{ const q = document.getElementById('trails'); q.value = TO; q.dispatchEvent(new Event('input')); }"
    for trails in ("0", "1"):
        browser.do(set_trails.replace("TO", trails))
        time.sleep(1)
        what = "with trails" if trails == "1" else "without trails"
        say_intervals(browser.do(INTERVALS.replace("SECONDS", str(args.seconds))), what)
        drawn = browser.do(DRAWN.replace("MANY", str(args.many)))
        one, many = statistics.median(drawn["one"]), statistics.median(drawn["many"])
        print(f"{what}: {drawn['size'][0]} x {drawn['size'][1]} pixels, one frame and a pixel read {one:.2f} ms, "
              f"a frame of many {(many - one) / args.many:.3f} ms", flush=True)
        if args.picture:
            import base64
            data = base64.b64decode(browser.call("Page.captureScreenshot", format="png")["data"])
            pathlib.Path(f"{args.picture}-{'trails' if trails == '1' else 'plain'}.png").write_bytes(data)
    print(json.dumps(browser.do("manybodyPage.report().numbers")))


def main():
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["frames", "link", "cost", "share"])
    parser.add_argument("--cores")
    parser.add_argument("--viewer-cores")
    parser.add_argument("--viewers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--settle", type=float, default=10, help="seconds before a page is measured")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--flag", action="append", default=[], help="of Chromium")
    parser.add_argument("--free", action="store_true")
    parser.add_argument("--size", default="1920x1080,2")
    parser.add_argument("--many", type=int, default=100)
    parser.add_argument("--picture", help="the beginning of the names of two screenshots")
    args = parser.parse_args(words[:at])
    args.command = words[at + 1:] or parser.error("a command after --")
    {"frames": frames, "link": link, "cost": cost, "share": share}[args.what](args)


if __name__ == "__main__":
    main()
