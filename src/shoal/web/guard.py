"""Who may ask, and what a browser may do with the answer. Stands before every route.

Another page in the same browser must not reach this one: the Host header is checked (DNS rebinding), requests that change
something must come from our own origin (CSRF), and what other pages embed is refused. Beyond loopback a token is demanded.
"""

from __future__ import annotations

import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# A report brings its own style inside and nothing else; it runs in an origin of its own.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Middleware that refuses, or lets through and adds headers."""

    def __init__(self, app: ASGIApp, *, hosts: set[str], token: str | None) -> None:
        self.app, self.hosts, self.token = app, hosts, token
        self.cookie = f"shoal-{min(hosts).rpartition(':')[2]}"  # cookies of all ports share one jar

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, refuse or pass on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            answer = self._refusal(scope)
            await (answer or self.app)(scope, receive, self._with_headers(scope, send))
        # anything else, such as a websocket, gets no answer

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return _refuse(421, "This address is not the one shoal listens on; use the one it printed when it started.")
        site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
        if scope["method"] in ("GET", "HEAD"):
            if site in ("cross-site", "same-site") and mode != "navigate":
                return _refuse(403, "Other pages may not use this one.")
        elif headers.getlist("origin") != [f"http://{hosts[0]}"]:
            return _refuse(403, "This request does not come from the page of shoal itself.")
        return self._ask_token(scope, headers) if self.token is not None else None

    def _ask_token(self, scope: Scope, headers: Headers) -> Response | None:
        """The token comes once in the address, and from then on in a cookie that other sites cannot send."""
        assert self.token is not None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token")
        if scope["method"] == "GET" and scope["path"] == "/" and given and self._same(given[0]):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
            return answer
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            cookies = SimpleCookie()
        if self.cookie in cookies and self._same(cookies[self.cookie].value):
            return None
        return _refuse(401, "Open the whole address that shoal printed when it started, with the token at its end.")

    def _same(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), str(self.token).encode())

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Content-Security-Policy", PAGE_POLICY)
                kept = scope["path"].startswith("/static/")
                headers["Cache-Control"] = "no-cache" if kept else "no-store"
            await send(message)

        return add


def _refuse(code: int, why: str) -> Response:
    return PlainTextResponse(f"{why}\n", code, headers={"Connection": "close"})
