"""A body that is streamed to the disk."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from shoal.web import views

SILENCE = 60  # seconds a sender may pause


async def save(request: Request, file: Path, most: int) -> tuple[int, str]:
    """To the disk; how many bytes they are, and what tells them from others."""
    size, digest, stream = 0, hashlib.sha256(), request.stream()
    try:
        with file.open("xb") as out:
            while True:
                chunk = await asyncio.wait_for(anext(stream, None), SILENCE)
                if chunk is None:
                    return size, digest.hexdigest()
                size += len(chunk)
                if size > most:
                    raise HTTPException(413, views.too_large(most))
                digest.update(chunk)
                out.write(chunk)
    except TimeoutError:
        raise HTTPException(408, "The upload stopped in the middle.") from None
    except ClientDisconnect:
        raise HTTPException(400, "The upload ended too early.") from None
    except OSError as error:
        raise HTTPException(507, f"The file cannot be stored ({error.strerror}).") from None
