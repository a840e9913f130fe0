"""The routes. Every action is a plain form that is answered with a redirect; only parts that change by themselves are polled."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from shoal.web import demos, views
from shoal.web.choices import answers_of, asked_of
from shoal.web.guard import REPORT_POLICY, Guard
from shoal.web.queue import Queue
from shoal.web.store import KINDS, Job, Store
from shoal.web.upload import save

FORM_BYTES = 20_000
_HERE = Path(__file__).parent


def make_app(store: Store, *, hosts: set[str], token: str | None, most_bytes: int) -> Starlette:
    """The application; `hosts` are the values of the Host header it answers to."""

    @contextlib.asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        app.state.queue = Queue(most_bytes)
        for job in store.newest_first():
            if job.status("audit") == "done" and job.status("curve") == "interrupted":
                app.state.queue.resume(job, "curve")
        worker = asyncio.create_task(app.state.queue.work())
        yield
        worker.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await worker

    routes = [
        Route("/", start),
        Route("/jobs", upload, methods=["POST"]),
        Route("/demo", demo, methods=["POST"]),
        Route("/delete-all", delete_all, methods=["POST"]),
        Route("/jobs/{id}", show),
        Route("/jobs/{id}/parts/{part}", part),
        Route("/jobs/{id}/look", read_again, methods=["POST"]),
        Route("/jobs/{id}/audit", audit, methods=["POST"]),
        Route("/jobs/{id}/answers", answers, methods=["POST"]),
        Route("/jobs/{id}/compare", compare, methods=["POST"]),
        Route("/jobs/{id}/run", run, methods=["POST"]),
        Route("/jobs/{id}/cancel", cancel, methods=["POST"]),
        Route("/jobs/{id}/delete", delete, methods=["POST"]),
        Route("/jobs/{id}/files/{name}", download),
        Mount("/static", StaticFiles(directory=_HERE / "static")),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, hosts=hosts, token=token)],
        exception_handlers={HTTPException: _explain},
        lifespan=living,
    )
    app.state.store, app.state.most_bytes = store, most_bytes
    return app


async def start(request: Request) -> Response:
    """The first page: a place to drop a file, and what was done before."""
    return HTMLResponse(views.start(request.app.state.store, request.app.state.most_bytes))


async def upload(request: Request) -> Response:
    """Stream the body to the disk, counting; the file's name is a label and nothing else."""
    store, most = request.app.state.store, request.app.state.most_bytes
    declared = request.headers.get("content-length", "0")
    if not (declared.isascii() and declared.isdigit() and len(declared) < 19 and int(declared) <= most):
        raise HTTPException(413, views.too_large(most))
    if shutil.disk_usage(store.root).free < int(declared) + 50_000_000:
        raise HTTPException(507, "There is not enough room on the disk for this file.")
    label = views.label_of(unquote(request.headers.get("x-file-name", "")))
    folder = store.new_folder()
    try:
        size, digest = await save(request, folder / "input", most)
        if not size:
            raise HTTPException(400, "The file is empty.")
        job = store.add(folder, label, size=size, digest=digest)
    except BaseException:
        store.discard(folder)
        raise
    request.app.state.queue.add(job, "look")
    return JSONResponse({"go": f"/jobs/{job.id}"}, 201)


async def demo(request: Request) -> Response:
    """A data set that is there already; the worker fetches it."""
    store, name = request.app.state.store, (await _form(request)).get("set", "")
    if name not in demos.SETS:
        raise HTTPException(404, "There is no such demo set.")
    job = store.add(store.new_folder(), demos.SETS[name].title, size=0, demo=name, digest=f"demo {name}")
    request.app.state.queue.add(job, "look")
    return _to(job)


async def show(request: Request) -> Response:
    """The page of a job."""
    job = _job(request)
    return HTMLResponse(views.job(job, again=request.app.state.store.released_before(job)))


async def part(request: Request) -> Response:
    """A part of that page, for the one that is open to bring itself up to date."""
    job, name = _job(request), request.path_params["part"]
    if name not in views.PARTS:
        raise HTTPException(404, "There is no such part.")
    again = request.app.state.store.released_before(job)
    return HTMLResponse(views.part(job, name, request.query_params.get("k", ""), again=again))


async def read_again(request: Request) -> Response:
    """Other columns or another slice width."""
    job, form, queue = _job(request), await _form(request), request.app.state.queue
    if not job.input.exists():
        raise HTTPException(410, "The uploaded file was deleted.")
    await queue.cancel(job)
    job.state["reading"] = views.reading_of(form)
    queue.add(job, "look")
    return _to(job, "look")


async def audit(request: Request) -> Response:
    """The person has seen how the file is read, and agrees."""
    job, queue = _job(request), request.app.state.queue
    seen = job.result("look")
    if job.status("look") != "done" or seen is None or seen["problems"]:
        raise HTTPException(409, "The file has to be read without problems first.")
    await queue.cancel(job)
    job.state["reading"] = seen["reading"]
    queue.add(job, "audit")
    queue.add(job, "curve")
    return _to(job, "audit")


async def answers(request: Request) -> Response:
    """Who might look for somebody, and what the data are for; the page recommends by it."""
    job = _job(request)
    job.state["answers"] = answers_of(await _form(request))
    job.save()
    return _to(job, "choose")


async def compare(request: Request) -> Response:
    """Try both protections with what is chosen."""
    job, _ = await _choose(request)
    await request.app.state.queue.cancel(job, "compare")
    request.app.state.queue.add(job, "compare")
    return _to(job, "compare")


async def _choose(request: Request) -> tuple[Job, dict[str, str]]:
    """Keep what the form of the release asks for."""
    job, form = _job(request), await _form(request)
    found = job.result("audit")
    if job.status("audit") != "done" or found is None:
        raise HTTPException(409, "The file has to be audited first.")
    try:
        job.state["asked"] = asked_of(form, found["n_nodes"])
    except ValueError as error:
        raise HTTPException(400, str(error)) from None
    job.save()
    return job, form


async def run(request: Request) -> Response:
    """Make the release."""
    queue = request.app.state.queue
    job, form = await _choose(request)
    await queue.cancel(job, "run")
    if job.status("run") == "done":
        job.state["released"] = True  # it may have been taken away
    job.state["k"] = job.state["asked"]["k"]
    for name in ("title", "by"):
        text = "".join(c for c in form.get(name, "") if c.isprintable()).strip()
        job.state[name] = text[:200].strip() or None
    queue.add(job, "run")
    return _to(job, "run")


async def cancel(request: Request) -> Response:
    """Stop what is under way."""
    job, kind = _job(request), (await _form(request)).get("kind", "")
    if kind not in KINDS:
        raise HTTPException(400, "There is nothing of this name to cancel.")
    await request.app.state.queue.cancel(job, kind)
    return _to(job, kind)


async def delete(request: Request) -> Response:
    """The whole job, or only its upload or its mapping; it is gone when this answers."""
    job, what = _job(request), (await _form(request)).get("what", "all")
    if what == "mapping":
        (job.folder / "private.json").unlink(missing_ok=True)
        shutil.rmtree(job.folder / "exact", ignore_errors=True)
        return _to(job, "run")
    await request.app.state.queue.cancel(job)
    if what == "upload":
        job.input.unlink(missing_ok=True)
        return _to(job, "look")
    request.app.state.store.delete(job)
    return RedirectResponse("/", 303)


async def delete_all(request: Request) -> Response:
    """Every job."""
    await _form(request)
    for job in list(request.app.state.store.jobs.values()):
        await request.app.state.queue.cancel(job)
        request.app.state.store.delete(job)
    return RedirectResponse("/", 303)


# Name in the address -> (file in the folder of the job, name for the person, media type, headers).
_FILES: dict[str, tuple[str, Callable[[Job], str] | None, str, dict[str, str]]] = {
    "release.zip": ("release.zip", lambda job: f"release-k{job.state['k']}.zip", "application/zip", {}),
    "mapping.json": ("private.json", lambda job: "PRIVATE-who-is-who.json", "application/json", {}),
    "report.html": ("release/report.html", None, "text/html", {"Content-Security-Policy": REPORT_POLICY}),
    "exact.html": ("exact/report.html", None, "text/html", {"Content-Security-Policy": REPORT_POLICY}),
    "crowds.svg": ("crowds.svg", None, "image/svg+xml", {"Content-Security-Policy": REPORT_POLICY}),
    "outbreaks.svg": ("exact/outbreaks.svg", None, "image/svg+xml", {"Content-Security-Policy": REPORT_POLICY}),
    "learned.svg": ("second-graph.svg", None, "image/svg+xml", {"Content-Security-Policy": REPORT_POLICY}),
    "slices.svg": ("slices.svg", None, "image/svg+xml", {"Content-Security-Policy": REPORT_POLICY}),
}


async def download(request: Request) -> Response:
    """One of the few files that may leave the folder."""
    job, name = _job(request), request.path_params["name"]
    if name not in _FILES or job.status("run") != "done":
        raise HTTPException(404, "There is no such file.")
    path, call_it, media, headers = _FILES[name]
    if not (job.folder / path).is_file():
        raise HTTPException(404, "This file was deleted.")
    return FileResponse(
        job.folder / path, media_type=media, headers=headers, filename=call_it(job) if call_it is not None else None
    )


def _job(request: Request) -> Job:
    job: Job | None = request.app.state.store.find(request.path_params["id"])
    if job is None:
        raise HTTPException(404, "There is no such job; perhaps it was deleted.")
    return job


async def _form(request: Request) -> dict[str, str]:
    """The fields of a small form, each with its first value."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > FORM_BYTES:
            raise HTTPException(413, "This form is too large.")
    try:
        return fields_of(body)
    except ValueError:
        raise HTTPException(400, "This form has too many fields.") from None


def fields_of(body: bytes) -> dict[str, str]:
    """What a form holds, each field with its first value; more than fifty are a ValueError."""
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=50)
    return {name: values[0] for name, values in fields.items()}


def _to(job: Job, place: str = "") -> Response:
    """To the page of the job; the browser moves the focus to the heading of that place."""
    return RedirectResponse(f"/jobs/{job.id}" + (f"#h-{place}" if place else ""), 303)


async def _explain(request: Request, error: Any) -> Response:
    """A refusal as one sentence: on a page for a person, plain for the uploading script."""
    headers = {"Connection": "close"} if request.method == "POST" else {}
    if request.url.path == "/jobs":
        return PlainTextResponse(error.detail, error.status_code, headers=headers)
    return HTMLResponse(views.refused(error.detail), error.status_code, headers=headers)
