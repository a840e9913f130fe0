"""What comes in and what goes out: uploads, files beside them, small forms, and the few files that may leave a folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from urllib.parse import parse_qs, unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from shoal.web import views
from shoal.web.guard import REPORT_POLICY
from shoal.web.store import BESIDE, Job
from shoal.web.upload import save

FORM_BYTES = 20_000
# What a file beside the contacts is followed by: the step of a worker, and where on the page that is seen.
_THEN = {"people": ("people", "people"), "second": ("attack", "attack")}


async def upload(request: Request) -> Response:
    """Stream the body to the disk, counting; the file's name is a label and nothing else."""
    store, most = request.app.state.store, request.app.state.most_bytes
    label = _announced(request)
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


def _announced(request: Request) -> str:
    """What an upload is called on the page; one that is too large, or for which there is no room, is refused before its body."""
    store, most = request.app.state.store, request.app.state.most_bytes
    declared = request.headers.get("content-length", "0")
    if not (declared.isascii() and declared.isdigit() and len(declared) < 19 and int(declared) <= most):
        raise HTTPException(413, views.too_large(most))
    if shutil.disk_usage(store.root).free < int(declared) + 50_000_000:
        raise HTTPException(507, "There is not enough room on the disk for this file.")
    return views.label_of(unquote(request.headers.get("x-file-name", "")))


async def beside(request: Request) -> Response:
    """A file beside the contacts: a table of people, what an attacker holds, an earlier release or its record."""
    job, name, queue = job_of(request), request.path_params["name"], request.app.state.queue
    if name not in BESIDE:
        raise HTTPException(404, "There is no such file.")
    if name == "second" and not (job.status("run") == "done" and (job.folder / "private.json").exists()):
        raise HTTPException(409, "Contacts are tried on a release: make it first, and keep its mapping.")
    label = _announced(request)
    kind, place = _THEN.get(name, ("", "extend"))
    if kind:
        await queue.cancel(job, kind)
    job.forget_beside(name)
    try:
        size, _ = await save(request, job.beside(name), request.app.state.most_bytes)
        if not size:
            raise HTTPException(400, "The file is empty.")
    except BaseException:
        job.forget_beside(name)
        raise
    job.state["beside"][name] = {"label": label, "size": size}
    job.save()
    if kind:
        queue.add(job, kind)
    return JSONResponse({"go": f"/jobs/{job.id}#h-{place}"}, 201)


# Name in the address -> (file in the folder of the job, name for the person, media type, headers).
_FILES: dict[str, tuple[str, Callable[[Job], str] | None, str, dict[str, str]]] = {
    "release.zip": (
        "release.zip",
        lambda job: f"release-k{(job.result('run') or {}).get('k', '')}.zip",
        "application/zip",
        {},
    ),
    "mapping.json": ("private.json", lambda job: "PRIVATE-who-is-who.json", "application/json", {}),
    "report.html": ("release/report.html", None, "text/html", {"Content-Security-Policy": REPORT_POLICY}),
    "exact.html": ("exact/report.html", None, "text/html", {"Content-Security-Policy": REPORT_POLICY}),
    "crowds.svg": ("crowds.svg", None, "image/svg+xml", {"Content-Security-Policy": REPORT_POLICY}),
    "outbreaks.svg": ("exact/outbreaks.svg", None, "image/svg+xml", {"Content-Security-Policy": REPORT_POLICY}),
    "learned.svg": ("second-graph.svg", None, "image/svg+xml", {"Content-Security-Policy": REPORT_POLICY}),
    "attack.svg": ("attack.svg", None, "image/svg+xml", {"Content-Security-Policy": REPORT_POLICY}),
    "slices.svg": ("slices.svg", None, "image/svg+xml", {"Content-Security-Policy": REPORT_POLICY}),
}


async def download(request: Request) -> Response:
    """One of the few files that may leave the folder."""
    job, name = job_of(request), request.path_params["name"]
    if name not in _FILES or job.status("run") != "done":
        raise HTTPException(404, "There is no such file.")
    path, call_it, media, headers = _FILES[name]
    if not (job.folder / path).is_file():
        raise HTTPException(404, "This file was deleted.")
    return FileResponse(
        job.folder / path, media_type=media, headers=headers, filename=call_it(job) if call_it is not None else None
    )


def job_of(request: Request) -> Job:
    """The job that an address names."""
    job: Job | None = request.app.state.store.find(request.path_params["id"])
    if job is None:
        raise HTTPException(404, "There is no such job; perhaps it was deleted.")
    return job


async def form_of(request: Request) -> dict[str, str]:
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


def to_page(job: Job, place: str = "") -> Response:
    """To the page of the job; the browser moves the focus to the heading of that place."""
    return RedirectResponse(f"/jobs/{job.id}" + (f"#h-{place}" if place else ""), 303)
