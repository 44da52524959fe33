#!/usr/bin/env python3
"""Opens reports in headless Chromium and checks what a reader sees.

    open_report.py REPORT.html... [--seconds S] [--once] [--screenshots FOLDER]

Each report is opened at 1280 and 400 pixels, in light and dark (--once: at 1280, in light): no error is on the console, the page does not overflow, every
picture has marks, each task can be chosen, and the table of trials sorts and filters. --seconds: the page is ready within this time.
"""

import argparse
import itertools
import os
import sys
import time

from browser import Browser

# Draws every picture of the page, and returns the titles of those without a mark: no pixel of them has a colour.
BARE_PICTURES = """
(async () => {
  const bare = [];
  for (const box of document.querySelectorAll(".canvas")) {
    box.scrollIntoView();
    for (let waited = 0; !box.drawn && waited < 3000; ++waited) await new Promise(resolve => setTimeout(resolve, 10));
    const canvas = box.querySelector("canvas");
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let coloured = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      if (pixels[i + 3] > 60 && Math.max(pixels[i], pixels[i + 1], pixels[i + 2]) -
          Math.min(pixels[i], pixels[i + 1], pixels[i + 2]) > 60) ++coloured;
    }
    if (coloured < 12) bare.push(box.spec.title);
  }
  return bare;
})()
"""

OVERFLOW = """
document.documentElement.scrollWidth <= innerWidth ? "" : [...document.querySelectorAll("main *")].filter(e =>
  e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll")).map(e => e.tagName + "." + e.className +
  ": " + e.textContent.slice(0, 60)).slice(0, 3).join("; ")
"""

# The cells of a column of the table of trials, those that are in the page.
COLUMN = """[...document.querySelectorAll("#trials tbody tr:not(.space)")].map(row => row.cells[%d].textContent)"""


def click_heading(browser, number):
    browser.evaluate(f'document.querySelectorAll("#trials th")[{number}].click()')


def check_table(browser):
    """Returns what is wrong with the table of trials."""
    problems = []
    count = browser.evaluate('document.getElementById("shown").textContent')
    click_heading(browser, 0)  # descending, since it was sorted by it
    numbers = [int(cell) for cell in browser.evaluate(COLUMN % 0)]
    if numbers != sorted(numbers, reverse=True):
        problems.append("a click on the heading 'trial' does not reverse its order")
    click_heading(browser, 5)
    outcomes = browser.evaluate(COLUMN % 5)
    if outcomes != sorted(outcomes):
        problems.append("a click on the heading 'outcome' does not sort by it")
    def search(words):
        browser.evaluate(f"""(() => {{ const filter = document.getElementById("filter"); filter.value = {words!r};
                             filter.dispatchEvent(new Event("input")); }})()""")
        return browser.evaluate('document.getElementById("shown").textContent')
    if not search("no row has these words").strip().startswith("0 of"):
        problems.append("the filter finds rows that do not have its words")
    first = outcomes[0].split()[0]
    if search(first).strip().startswith("0 of"):
        problems.append(f"the filter does not find the outcome {first}")
    if search("") != count:
        problems.append("an empty filter does not show all rows")
    browser.evaluate('document.querySelector("#trials tbody tr:not(.space)").click()')
    if "trial " not in browser.evaluate('document.querySelector("#trials + pre").textContent'):
        problems.append("a click on a row does not show it")
    return problems


def check_at(browser, width, scheme):
    browser.prefer(scheme)
    browser.resize(width)
    browser.wait_for(f'document.body.dataset.drawn === "{scheme}"')  # boxes of the other scheme are never drawn
    problems = []
    tasks = browser.evaluate('document.getElementById("task")?.options.length ?? 1')
    for task in {0, tasks - 1}:
        if tasks > 1:
            browser.evaluate(f"""(() => {{ const choice = document.getElementById("task"); choice.value = {task};
                                 choice.dispatchEvent(new Event("change")); }})()""")
        problems += [f"the picture '{title}' has no marks" for title in browser.evaluate(BARE_PICTURES)]
        overflow = browser.evaluate(OVERFLOW)
        if overflow:
            problems.append(f"the page is wider than the window: {overflow}")
    if browser.evaluate('document.getElementById("trials") !== null'):
        problems += check_table(browser)
    back = browser.evaluate("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)")
    if (sum(back[:3]) < 384) != (scheme == "dark"):
        problems.append(f"the background {back} is not {scheme}")
    return [f"{width} pixels, {scheme}: {problem}" for problem in problems]


def check_report(file, seconds, once, screenshots):
    problems = []
    with Browser() as browser:
        browser.resize(1280)
        start = time.monotonic()
        browser.open(file)
        browser.wait_for("document.body?.dataset.drawn")
        took = time.monotonic() - start
        print(f"{file}: ready after {took:.2f} s")
        if seconds and took > seconds:
            problems.append(f"ready after {took:.2f} s, more than {seconds}")
        for width, scheme in [(1280, "light")] if once else itertools.product((1280, 400), ("light", "dark")):
            problems += check_at(browser, width, scheme)
            if screenshots:
                name = os.path.splitext(os.path.basename(file))[0]
                browser.evaluate("scrollTo(0, 0)")
                browser.screenshot(os.path.join(screenshots, f"{name}-{width}-{scheme}.png"))
        problems += [f"the console has: {error}" for error in browser.errors]
    return [f"{file}: {problem}" for problem in problems]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+", metavar="REPORT.html")
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--screenshots", metavar="FOLDER", default="")
    options = parser.parse_args()
    problems = []
    for file in options.reports:
        problems += check_report(file, options.seconds, options.once, options.screenshots)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
