"""shoal serve: a local web page for people who do not type commands."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import socket

PORT = 8321


def serve(
    port: Annotated[
        int | None, typer.Option("--port", help=f"Port; by default {PORT}, or a free one.", min=0, max=65535)
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on. Beyond this computer a token is demanded.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(
            "--token", envvar="SHOAL_TOKEN", help="Demand this token (beyond this computer one is made up otherwise)."
        ),
    ] = None,
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", help="Where uploads and results are kept, for you alone to read.")
    ] = None,
    max_upload: Annotated[
        int, typer.Option("--max-upload", help="Largest file in MB, packed or unpacked.", min=1)
    ] = 1000,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Open a page on which one drops a file of contacts and leaves with a release."""
    import secrets

    from shoal.errors import InputError
    from shoal.web.store import Store, default_folder

    try:
        import uvicorn

        from shoal.web.app import make_app
        from shoal.web.patience import BACKLOG, PatientProtocol
    except ModuleNotFoundError as missing:
        raise InputError(f"shoal serve needs {missing.name}: pip install 'shoal[web]'") from None

    listener = _listen(host, port)
    at = listener.getsockname()[1]
    local = _is_loopback(host)
    token = token or (None if local else secrets.token_urlsafe(24))
    store = Store(work_dir or default_folder())
    app = make_app(store, hosts=_hosts(host, at), token=token, most_bytes=max_upload * 1_000_000)
    shown = "127.0.0.1" if host in ("", "0.0.0.0") else f"[{host}]" if ":" in host else host  # noqa: S104 - only compared
    address = f"http://{shown}:{at}/" + (f"?token={token}" if token else "")
    typer.echo(f"shoal is at {address} (stop it with Ctrl+C). Files are kept in {store.root}.")
    if not local:
        typer.echo(
            "What goes over the network is not encrypted: use it where you trust everybody who listens.", err=True
        )
    if not no_browser:
        _open_soon(address)
    settings = uvicorn.Config(
        app, http=PatientProtocol, ws="none", lifespan="on", log_level="warning", access_log=False, server_header=False,
        proxy_headers=False, backlog=BACKLOG, timeout_graceful_shutdown=2,
    )  # fmt: skip
    signal.signal(signal.SIGINT, signal.default_int_handler)  # here it is the way to end
    try:
        uvicorn.Server(settings).run(sockets=[listener])
    except KeyboardInterrupt:
        typer.echo("Stopped.")


def _listen(host: str, port: int | None) -> socket.socket:
    """A bound socket, so that the port is known before anybody is told of it."""
    import socket

    from shoal.errors import InputError

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (PORT, 0) if port is None else (port,):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            return listener
        except OSError as error:
            listener.close()
            problem = error.strerror or str(error)
    raise InputError(f"cannot listen on {host}, port {candidate} ({problem})")


def _is_loopback(host: str) -> bool:
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _hosts(host: str, port: int) -> set[str]:
    """The names under which this server may be addressed: never one that somebody else's name server made up."""
    import socket

    names = (
        {"127.0.0.1", "localhost", "[::1]"} if _is_loopback(host) else {f"[{host}]" if ":" in host else host.lower()}
    )
    if host in ("0.0.0.0", "::", ""):  # noqa: S104 - only compared
        names |= {"127.0.0.1", "localhost", socket.gethostname().lower(), *_own_addresses()}
    return {f"{name}:{port}" for name in names} | (names if port == 80 else set())


def _own_addresses() -> set[str]:
    import socket

    try:
        found = socket.getaddrinfo(socket.gethostname(), None)
    except OSError:
        return set()
    return {f"[{a[4][0]}]" if a[0] == socket.AF_INET6 else str(a[4][0]) for a in found}


def _open_soon(address: str) -> None:
    """Open the browser when the server has had the time to start."""
    import threading
    import webbrowser

    timer = threading.Timer(1.0, webbrowser.open, [address])
    timer.daemon = True
    timer.start()
