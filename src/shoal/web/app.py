"""The routes. Every action is a plain form that is answered with a redirect; only parts that change by themselves are polled."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from shoal.web import demos, views
from shoal.web.choices import answers_of, asked_of
from shoal.web.files import beside, download, form_of, job_of, to_page, upload
from shoal.web.guard import Guard
from shoal.web.queue import Queue
from shoal.web.store import BESIDE, KINDS, Job, Store

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
        Route("/jobs/{id}/beside/{name}", beside, methods=["POST"]),
        Route("/jobs/{id}/extend", extend, methods=["POST"]),
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


async def demo(request: Request) -> Response:
    """A data set that is there already; the worker fetches it."""
    store, name = request.app.state.store, (await form_of(request)).get("set", "")
    if name not in demos.SETS:
        raise HTTPException(404, "There is no such demo set.")
    job = store.add(store.new_folder(), demos.SETS[name].title, size=0, demo=name, digest=f"demo {name}")
    request.app.state.queue.add(job, "look")
    return to_page(job)


async def show(request: Request) -> Response:
    """The page of a job."""
    job = job_of(request)
    store = request.app.state.store
    return HTMLResponse(views.job(job, again=store.released_before(job), earlier=store.to_go_on_from(job)))


async def part(request: Request) -> Response:
    """A part of that page, for the one that is open to bring itself up to date."""
    job, name = job_of(request), request.path_params["part"]
    if name not in views.PARTS:
        raise HTTPException(404, "There is no such part.")
    store = request.app.state.store
    facts = {"again": store.released_before(job), "earlier": store.to_go_on_from(job)}
    return HTMLResponse(views.part(job, name, request.query_params.get("k", ""), **facts))


async def read_again(request: Request) -> Response:
    """Other columns or another slice width."""
    job, form, queue = job_of(request), await form_of(request), request.app.state.queue
    if not job.input.exists():
        raise HTTPException(410, "The uploaded file was deleted.")
    await queue.cancel(job)
    job.state["reading"] = views.reading_of(form)
    queue.add(job, "look")
    return to_page(job, "look")


async def audit(request: Request) -> Response:
    """The person has seen how the file is read, and agrees."""
    job, queue = job_of(request), request.app.state.queue
    seen = job.result("look")
    if job.status("look") != "done" or seen is None or seen["problems"]:
        raise HTTPException(409, "The file has to be read without problems first.")
    await queue.cancel(job)
    job.state["reading"] = seen["reading"]
    queue.add(job, "audit")
    queue.add(job, "curve")
    return to_page(job, "audit")


async def answers(request: Request) -> Response:
    """Who might look for somebody, and what the data are for; the page recommends by it."""
    job = job_of(request)
    job.state["answers"] = answers_of(await form_of(request))
    job.save()
    return to_page(job, "choose")


async def compare(request: Request) -> Response:
    """Try both protections with what is chosen."""
    job, _ = await _choose(request)
    await request.app.state.queue.cancel(job, "compare")
    request.app.state.queue.add(job, "compare")
    return to_page(job, "compare")


async def _choose(request: Request) -> tuple[Job, dict[str, str]]:
    """Keep what the form of the release asks for."""
    job, form = job_of(request), await form_of(request)
    found = job.result("audit")
    if job.status("audit") != "done" or found is None:
        raise HTTPException(409, "The file has to be audited first.")
    try:
        columns = (job.result("people") or {}).get("columns", []) if job.status("people") == "done" else []
        job.state["asked"] = asked_of(form, found["n_nodes"], [column["name"] for column in columns])
    except ValueError as error:
        raise HTTPException(400, str(error)) from None
    job.save()
    return job, form


async def run(request: Request) -> Response:
    """Make the release."""
    job, form = await _choose(request)
    job.state["k"] = job.state["asked"]["k"]
    return await _begin(request, job, form)


async def extend(request: Request) -> Response:
    """Publish these contacts as a later part of an earlier release: one of this page, or one that was uploaded."""
    job, form, store = job_of(request), await form_of(request), request.app.state.store
    if job.status("look") != "done" or not job.input.exists():
        raise HTTPException(409, "The file has to be read without problems first.")
    earlier = store.find(form.get("earlier", ""))
    if earlier is not None:
        made = {"before": earlier.folder / "release.zip", "record": earlier.folder / "private.json"}
        if earlier is job or not all(file.is_file() for file in made.values()):
            raise HTTPException(409, "The earlier release, or who is who in it, was deleted.")
        for name, file in made.items():
            shutil.copyfile(file, job.beside(name))
            job.state.setdefault("beside", {})[name] = {"label": earlier.state["label"], "size": file.stat().st_size}
    if not (job.beside("before").is_file() and job.beside("record").is_file()):
        raise HTTPException(409, "An earlier release is needed, and the private file that says who is who in it.")
    job.state["reading"] = (job.result("look") or {}).get("reading", job.state["reading"])
    job.state["asked"] = {"extends": True, "effort": "fast" if form.get("effort") == "fast" else "balanced"}
    return await _begin(request, job, form)


async def _begin(request: Request, job: Job, form: dict[str, str]) -> Response:
    """Let the worker make what is asked for."""
    queue = request.app.state.queue
    await queue.cancel(job, "run")
    if job.status("run") == "done":
        job.state["released"] = True  # it may have been taken away
    for name in ("title", "by"):
        text = "".join(c for c in form.get(name, "") if c.isprintable()).strip()
        job.state[name] = text[:200].strip() or None
    queue.add(job, "run")
    return to_page(job, "run")


async def cancel(request: Request) -> Response:
    """Stop what is under way."""
    job, kind = job_of(request), (await form_of(request)).get("kind", "")
    if kind not in KINDS:
        raise HTTPException(400, "There is nothing of this name to cancel.")
    await request.app.state.queue.cancel(job, kind)
    return to_page(job, kind)


async def delete(request: Request) -> Response:
    """The whole job, or only its upload or its mapping; it is gone when this answers."""
    job, what = job_of(request), (await form_of(request)).get("what", "all")
    if what == "mapping":
        (job.folder / "private.json").unlink(missing_ok=True)
        shutil.rmtree(job.folder / "exact", ignore_errors=True)
        job.forget_beside("record")
        return to_page(job, "run")
    await request.app.state.queue.cancel(job)
    if what in BESIDE:
        job.forget_beside(what)
        return to_page(job, "people" if what == "people" else "extend")
    if what == "upload":
        job.input.unlink(missing_ok=True)
        job.forget_beside()
        return to_page(job, "look")
    request.app.state.store.delete(job)
    return RedirectResponse("/", 303)


async def delete_all(request: Request) -> Response:
    """Every job."""
    await form_of(request)
    for job in list(request.app.state.store.jobs.values()):
        await request.app.state.queue.cancel(job)
        request.app.state.store.delete(job)
    return RedirectResponse("/", 303)


async def _explain(request: Request, error: Any) -> Response:
    """A refusal as one sentence: on a page for a person, plain for the uploading script."""
    headers = {"Connection": "close"} if request.method == "POST" else {}
    if request.url.path == "/jobs" or "/beside/" in request.url.path:
        return PlainTextResponse(error.detail, error.status_code, headers=headers)
    return HTMLResponse(views.refused(error.detail), error.status_code, headers=headers)
