"""The whole way through the page, in a real browser, on real data."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import zipfile
from pathlib import Path

import pytest
from axe_core_python.selenium import Axe
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from tests.command import shoal_process
from tests.read.test_odd_files import PAIRS, headerless, workbook
from tests.web.server import Server

PICTURES = os.environ.get("SHOAL_PICTURES")  # a folder for pictures of every step, for somebody to look at
FREE = "const s = document.documentElement; return s.scrollWidth <= window.innerWidth"


@pytest.fixture(scope="module")
def irvine(real_data, tmp_path_factory):
    """The Irvine messages as an upload: from the demo package, or from the folder of real data."""
    from shoal.datasets.irvine import irvine_file
    from shoal.errors import InputError

    try:
        return irvine_file()
    except InputError:
        return real_data("uci-collegemsg/edges.csv.gz")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("work") / "w")
    yield started
    started.stop()


class Page:
    """The browser, with the few gestures of a person."""

    def __init__(self, browser, site, downloads: Path) -> None:
        self.browser, self.site = browser, site
        browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
        browser.get_log("browser")

    def until(self, css: str, seconds: float = 240):
        return WebDriverWait(self.browser, seconds, 0.1, [StaleElementReferenceException]).until(
            lambda b: next((e for e in b.find_elements(By.CSS_SELECTOR, css) if e.is_displayed()), None)
        )

    def text(self, css: str) -> str:
        return self._steadily(css, lambda element: element.text)

    def click(self, css: str) -> None:
        def press(element):
            self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
            element.click()

        self._steadily(css, press)

    def _steadily(self, css: str, act):
        """Parts of the page replace themselves while one looks at them."""
        for _ in range(20):
            with contextlib.suppress(StaleElementReferenceException):
                return act(self.until(css))
        raise AssertionError(css)

    def look(self, name: str) -> None:
        """Wide and as narrow as a phone, light and dark; nothing may stick out."""
        for width in (1200, 390):
            self.browser.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
            )
            for scheme in ("light", "dark"):
                self.browser.execute_cdp_cmd(
                    "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
                )
                assert self.browser.execute_script(FREE), f"{name} is wider than {width}"
                if PICTURES:
                    picture = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
                    file = Path(PICTURES) / f"{name}-{width}-{scheme}.png"
                    file.write_bytes(base64.b64decode(picture["data"]))
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def listen(self) -> None:
        """What axe-core finds that a person with a screen reader or a keyboard would stumble over."""
        found = Axe().run(self.browser)["violations"]
        assert not [(v["id"], [n["html"] for n in v["nodes"]]) for v in found if v["impact"] in ("serious", "critical")]

    def complaints(self) -> list:
        return [e for e in self.browser.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]


@pytest.fixture
def page(browser, site, tmp_path):
    browser.set_window_size(1200, 1000)
    yield Page(browser, site, tmp_path)
    browser.get("about:blank")


def test_the_whole_way_on_irvine(page, irvine, tmp_path):
    browser = page.browser
    browser.get(page.site.address)
    page.look("1-start")
    browser.find_element(By.ID, "file").send_keys(str(irvine))
    assert "1,899" in page.text("#look .tiles")
    page.look("2-read")
    page.click("#go-audit")
    headline = page.text("#audit .big")
    assert "1,257 of 1,899 people can be singled out" in headline
    assert browser.switch_to.active_element.get_attribute("id") == "h-audit"  # the keyboard went with the work
    page.until("#cost circle")  # the curve begins to fill in

    slider = page.until("#k")
    slider.send_keys(Keys.HOME)
    for _ in range(3):
        slider.send_keys(Keys.ARROW_RIGHT)
    assert page.text("#k-shown") == "5"
    WebDriverWait(browser, 240).until(lambda b: "edges stay" in page.text("#cost-words"))
    page.look("3-audit")

    page.click("#go-run")
    page.until("#run progress")
    page.look("4-running")
    page.click("#cancel-run")
    assert "cancelled" in page.text("#run .note")
    assert page.site.ask("GET", browser.current_url.removeprefix(page.site.address).split("#")[0])[0] == 200

    browser.execute_script("document.querySelector('input[value=fast]').click()")
    page.click("#go-run")
    page.until("#get-release")
    assert "Nobody can be singled out" in page.text("#run .big")
    for picture in browser.find_elements(By.CSS_SELECTOR, "#run .chart img"):
        browser.execute_script("arguments[0].scrollIntoView()", picture)
        WebDriverWait(browser, 10).until(
            lambda b, p=picture: b.execute_script("return arguments[0].naturalWidth > 100", p)
        )
    assert "never seen together" in page.text("#run")
    page.look("5-result")

    page.click("#get-release")
    page.click("#get-mapping")
    WebDriverWait(browser, 20).until(
        lambda b: len([f for f in tmp_path.iterdir() if f.suffix in (".zip", ".json")]) == 2
    )
    with zipfile.ZipFile(tmp_path / "release-k5.zip") as archive:
        archive.extractall(tmp_path)
    checked = shoal_process("verify", tmp_path / "release", "-k", "5")
    assert checked.returncode == 0, checked.stdout
    mapping = json.loads((tmp_path / "PRIVATE-who-is-who.json").read_text())
    assert len(mapping["ids"]) == 1899
    assert not page.complaints()

    job = browser.current_url.split("#")[0].rpartition("/")[2]
    browser.get(page.site.address)
    assert "released with k = 5" in page.text(".history li")
    browser.get(f"{page.site.address}/jobs/{job}")
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.click("#delete-job")
    page.until("#drop")
    assert not (page.site.folder / job).exists()
    assert not page.complaints()


@pytest.mark.parametrize(
    "make", [headerless, workbook]
)  # one that asks, one of bytes; all of ODD pass and take a minute
def test_odd_files_become_releases_by_pressing_what_is_offered(page, tmp_path, make):
    """From file to release with nothing filled in; what the file does not tell is asked, and answered by its first answer."""
    page.browser.get(page.site.address)
    page.browser.find_element(By.ID, "file").send_keys(str(make(tmp_path)))
    if page.until("#answer, #go-audit").get_attribute("id") == "answer":
        page.look(f"{make.__name__}-asked")
        for question in page.browser.find_elements(By.CSS_SELECTOR, "#asks fieldset"):
            question.find_element(By.CSS_SELECTOR, "input").click()
        page.click("#answer")
    page.until("#go-audit")
    assert f"{len(PAIRS)} " in page.text("#look")
    page.look(f"{make.__name__}-read")
    page.click("#go-audit")
    page.until("#audit .big")
    page.browser.execute_script("document.querySelector('input[value=fast]').click()")
    page.click("#go-run")
    page.until("#get-release")
    assert f"{len(PAIRS)} contacts" in page.text("#audit")
    page.look(f"{make.__name__}-released")
    assert not page.complaints()


def test_dropping_a_file_whose_people_are_called_script(page):
    """Ids, columns and the name of the file are text, wherever they come up."""
    browser = page.browser
    nasty = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
    rows = "".join(f'"{nasty}{i % 9}","{nasty}{i * 5 % 11}",{nasty}{i % 3}\n' for i in range(60))
    content = f'"{nasty}",b,layer\n{rows}'
    browser.get(page.site.address)
    browser.execute_script(
        """const box = new DataTransfer(); box.items.add(new File([arguments[0]], arguments[1]));
        document.getElementById('drop').dispatchEvent(new DragEvent('drop', {dataTransfer: box, cancelable: true}))""",
        content,
        f"{nasty}.csv",
    )
    assert nasty in page.text("#look table")
    page.click("#go-audit")
    page.until("#audit .big")
    browser.execute_script(
        "document.querySelector('#k').value = 2; document.querySelector('input[value=fast]').click()"
    )
    page.click("#go-run")
    page.until("#get-release")
    assert browser.title != "owned"
    assert not browser.find_elements(By.CSS_SELECTOR, "main script, main img[onerror]")
    browser.get(browser.find_element(By.PARTIAL_LINK_TEXT, "report").get_attribute("href"))
    assert not browser.find_elements(By.CSS_SELECTOR, "script, img[onerror]")
    assert not page.complaints()


def test_both_protections_of_a_directed_file_are_compared_and_one_is_taken(page, tmp_path):
    """Who began matters, somebody has contacts with names: asked, recommended, tried, made."""
    browser, file = page.browser, tmp_path / "mails.csv"
    rows = [f"{a},{b},2024-0{1 + s // 28}-{1 + s % 28:02}" for s, (a, b) in enumerate(PAIRS * 2)]
    file.write_text("\n".join(["von,an,datum", *rows[:50]]) + "\n")
    browser.get(page.site.address)
    page.listen()
    browser.find_element(By.ID, "file").send_keys(str(file))
    page.until("#go-audit")
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    for name, value in (("directed", "yes"), ("slice", "1mo")):
        Select(browser.find_element(By.ID, f"f-{name}")).select_by_value(value)
    page.click("#read-again")
    page.until("#go-audit")
    page.listen()
    page.click("#go-audit")
    page.until("#answers")
    for name in ("names", "spread", "pairs"):
        page.click(f"[name=is-{name}]")
    page.click("#go-advice")
    assert "Both wishes do not go together" in page.text("#advice")
    assert browser.find_element(By.CSS_SELECTOR, "[name=against][value=graph]").is_selected()
    browser.execute_script(
        "document.querySelector('#k').value = 2; document.querySelector('input[value=fast]').click()"
    )
    page.click("#go-compare")
    assert "contacts change hands" in page.text("#compare table")
    assert "NOT protected" in page.text("#compare table")
    page.look("7-beside")
    page.listen()
    page.click("#go-run")
    page.until("#get-release")
    assert "changed hands" in page.text("#run .tiles")
    assert "Contacts of particular people are not to be read from it" in page.text("#run .promise")
    page.look("8-hands")
    page.listen()
    folder = page.site.folder / browser.current_url.split("#")[0].rpartition("/")[2]
    claims = json.loads((folder / "release" / "certificate.json").read_text())
    assert (claims["against"], claims["directed"], claims["k"]) == ("graph", True, 2)
    browser.get(browser.find_element(By.PARTIAL_LINK_TEXT, "report").get_attribute("href"))
    assert "not to be analysed" in browser.page_source
    assert not page.complaints()


def _contacts(people, days, first=1):
    """Mails among some people: everybody writes to the next ones, the busy to more."""
    rows = [
        f"p{u},p{(u + step) % people},2024-0{first + day // 28}-{1 + day % 28:02}"
        for day in range(days)
        for u in range(people)
        for step in range(1, 2 + (u * 7 + day) % 3)
    ]
    return "\n".join(["von,an,datum", *rows]) + "\n"


def _read_in_months(page, file, *, directed):
    page.browser.get(page.site.address)
    page.browser.find_element(By.ID, "file").send_keys(str(file))
    page.until("#go-audit")
    page.browser.execute_script("document.querySelectorAll('#look details').forEach(d => d.open = true)")
    for name, value in (("directed", "yes" if directed else ""), ("slice", "1mo")):
        Select(page.browser.find_element(By.ID, f"f-{name}")).select_by_value(value)
    page.click("#read-again")
    page.until("#go-audit")


def test_a_directed_file_with_a_table_of_people_and_contacts_that_somebody_has(page, tmp_path):
    """Columns are chosen, some people ask for no protection and are named as such; then the release is attacked with a file."""
    browser, file, table = page.browser, tmp_path / "mails.csv", tmp_path / "people.csv"
    file.write_text(_contacts(24, 60))
    rows = [f"p{i},{20 + i % 20},{'fm'[i % 2]},{('flu', 'none')[i % 2]},{1 if i < 2 else 3}" for i in range(24)]
    table.write_text("\n".join(["node,age,sex,illness,wants", *rows]) + "\n")
    _read_in_months(page, file, directed=True)
    page.click("#go-audit")
    page.until("#send-people").send_keys(str(table))
    age = Select(page.until("#f-column-0"))
    assert "24 people, 4 columns" in page.text("#people")
    assert "publish it in tens: it is known of people" in [one.text for one in age.options]
    assert len(Select(browser.find_element(By.ID, "f-column-1")).options) < len(age.options)  # no tens of a sex
    for i, value in enumerate((":10", "known", "sensitive", "level")):
        Select(browser.find_element(By.ID, f"f-column-{i}")).select_by_value(value)
    Select(browser.find_element(By.ID, "f-diverse")).select_by_value("2")
    page.look("9-people")
    page.listen()
    browser.execute_script("document.querySelector('#release input[value=fast]').click()")
    page.click("#go-run")
    page.until("#get-release")
    assert "age" in page.text("#run .promise")
    assert "asked for no protection" in page.text("#run")
    folder = page.site.folder / browser.current_url.split("#")[0].rpartition("/")[2]
    claims = json.loads((folder / "release" / "certificate.json").read_text())
    assert claims["directed"]
    assert claims["attributes"]["columns"] == ["age", "sex"]
    assert claims["sensitive"]["column"] == "illness"
    assert claims["people_by_k"] == {"1": 2, "3": 22}
    checked = shoal_process("verify", folder / "release", "--record", folder / "private.json")
    assert checked.returncode == 0, checked.stdout
    page.look("10-levels")

    some = file.read_text().splitlines()
    (tmp_path / "last-year.csv").write_text("\n".join(some[: len(some) // 2]) + "\n")
    page.until("#send-second").send_keys(str(tmp_path / "last-year.csv"))
    assert "edges of the original with names" in page.text("#attack table")
    page.look("11-attacked")
    page.listen()
    assert not page.complaints()
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.click("#drop-people")
    page.until("#send-people")
    assert not (folder / "people.table").exists()


def test_a_growing_release(page, tmp_path):
    """January is released; February goes on from it, once by choosing it and once by its files."""
    browser = page.browser
    for name, first in (("january.csv", 1), ("february.csv", 2)):
        (tmp_path / name).write_text(_contacts(20, 28, first))
    _read_in_months(page, tmp_path / "january.csv", directed=False)
    page.click("#go-audit")
    page.until("#audit .big")
    browser.execute_script(
        "document.querySelector('#k').value = 3; document.querySelector('#release input[value=fast]').click()"
    )
    page.click("#go-run")
    for button in ("#get-release", "#get-mapping"):
        page.click(button)
    before = page.site.folder / browser.current_url.split("#")[0].rpartition("/")[2]
    WebDriverWait(browser, 20).until(
        lambda _: len(list(tmp_path.glob("*.zip")) + list(tmp_path.glob("PRIV*.json"))) == 2
    )

    _read_in_months(page, tmp_path / "february.csv", directed=False)
    page.click("#extend summary")
    assert "january.csv" in page.text("#f-earlier")
    page.look("12-extend")
    page.listen()
    page.click("#go-extend-earlier")
    page.until("#get-release")
    assert "over all parts together" in page.text("#run .big")
    assert "the old one is out of date" in page.text("#run .note")
    after = page.site.folder / browser.current_url.split("#")[0].rpartition("/")[2]
    checked = shoal_process(
        "verify", before / "release", after / "release", "-k", "3", "--record", after / "private.json"
    )
    assert checked.returncode == 0, checked.stdout
    page.look("13-extended")
    page.listen()

    _read_in_months(page, tmp_path / "january.csv", directed=False)
    page.click("#extend summary")
    for name, own in (("before", "release-k3.zip"), ("record", "PRIVATE-who-is-who.json")):
        page.until(f"#send-{name}").send_keys(str(tmp_path / own))
        WebDriverWait(browser, 20).until(lambda _, name=name, own=own: own in page.text(f"#help-{name}"))
    page.click("#go-extend")
    assert "was released before; give only later slices" in page.text("#run .problem")
    assert not page.complaints()


def test_a_wrong_file_is_explained_with_its_line(page, tmp_path):
    file = tmp_path / "wrong.csv"
    file.write_text("source,target,time\nann,bob,2024-05-01\nann,cem\n")
    page.browser.get(page.site.address)
    page.browser.find_element(By.ID, "file").send_keys(str(file))
    assert "wrong.csv, line 3: 2 fields where 3 are expected" in page.text("#look .problem")
    assert not page.browser.find_elements(By.ID, "go-audit")
    page.look("6-problem")
    assert not page.complaints()


def test_everything_has_a_name_and_the_keyboard_reaches_it(page):
    browser = page.browser
    browser.get(page.site.address)
    nameless = """return [...document.querySelectorAll('input:not([type=hidden]), select, button, a, summary, svg, progress')]
        .filter(e => !(e.textContent.trim() || e.labels?.length || e.getAttribute('aria-label'))).map(e => e.outerHTML)"""
    assert browser.execute_script(nameless) == []
    reached = []
    for _ in range(12):
        browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
        reached.append(browser.switch_to.active_element.get_attribute("id"))
    assert {"file", "demo-office", "demo-irvine"} <= set(reached)
    browser.switch_to.active_element.send_keys(Keys.HOME)
    browser.execute_script("document.getElementById('demo-office').focus()")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    page.until("#go-audit").send_keys(Keys.ENTER)
    page.until("#audit .big")
    assert browser.execute_script(nameless) == []
    said = WebDriverWait(browser, 20).until(lambda b: b.find_element(By.ID, "say").get_attribute("textContent"))
    assert "people can be singled out" in said or "Trying" in said or "Reading" in said or "Waiting" in said
    assert not page.complaints()
