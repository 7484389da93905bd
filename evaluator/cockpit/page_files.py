"""The files of the page, with the headers that everything is sent with."""

import re
from importlib.resources import files
from pathlib import PurePosixPath

from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from evaluator.report.assets import SHARED, asset

MEDIA_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
PAGE = files("evaluator.cockpit") / "page"
PART = re.compile(r"<!--(head\.html|brand\.svg)-->")  # what several pages share
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ws:; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def page_file(name: str) -> Response:
    """A file of the page, with the parts that it names; 404 for a name that it does not have."""
    path = PurePosixPath(name)
    kind = MEDIA_TYPES.get(path.suffix)
    outside = path.is_absolute() or ".." in path.parts
    if kind is None or outside or not (file := PAGE.joinpath(name)).is_file():
        return plain_text(404, "no such file")
    text = file.read_text(encoding="utf-8")
    if path.suffix == ".html":
        text = PART.sub(lambda part: PAGE.joinpath(part[1]).read_text("utf-8").strip(), text)
    return Response(text, media_type=kind, headers=HEADERS)


def file_routes() -> list[Route]:
    """The files of the page, and what pages of stored runs use as well."""
    return [
        Route("/page/{name:path}", lambda request: page_file(request.path_params["name"])),
        Route("/stored/{name}", lambda request: shared_file(request.path_params["name"])),
    ]


def shared_file(name: str) -> Response:
    """A script or style that pages of stored runs use, too."""
    if name not in SHARED:
        return plain_text(404, "no such file")
    kind = MEDIA_TYPES[PurePosixPath(name).suffix]
    return Response(asset(name), media_type=kind, headers=HEADERS)


def plain_text(status: int, text: str) -> Response:
    """A line of text, such as why something is refused."""
    return PlainTextResponse(f"{text}\n", status, HEADERS)
