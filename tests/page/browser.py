"""A headless Chromium that draws WebGL by software."""

import shutil

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

SIZES = {
    "desktop": (1280, 800, 1, False), "window": (800, 600, 1, False), "large": (2560, 1440, 1, False), "phone": (390, 844, 2, True),
    "small": (320, 568, 2, True), "landscape": (844, 390, 2, True),
}


def is_here():
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


def open_browser(size="desktop"):
    options = Options()
    options.binary_location = shutil.which("chromium")
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
        "--ignore-gpu-blocklist",
        "--force-prefers-reduced-motion",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(60)
    width, height, ratio, mobile = SIZES[size]
    metrics = {"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": mobile}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    if mobile:
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    prefer(driver, "dark")
    return driver


def prefer(driver, theme):
    """What the system says to the browser that its user prefers: light or dark."""
    features = [{"name": "prefers-color-scheme", "value": theme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
