"""Errors as RFC 9457 tells them, application/problem+json: one sentence says what is wrong and how to mend it."""

import math
import sys
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from host_tools.errors import UserError
from host_tools.store import Refused

MEDIA_TYPE = "application/problem+json"
FAULTS_SHOWN = 3


class Problem(BaseModel):
    """What went wrong; `detail` is for people."""

    type: str
    title: str
    status: int
    detail: str


class Refusal(Exception):
    """Answered as a problem: the status code and the sentence."""

    def __init__(self, status: int, detail: str, retry_s: float | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.retry_s = status, detail, retry_s


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """These statuses as problems, for the OpenAPI of a path."""
    content = {MEDIA_TYPE: {"schema": Problem.model_json_schema()}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}


def answer(status: int, detail: str, retry_s: float | None = None) -> JSONResponse:
    """The response; `retry_s` says after how many seconds it may be tried again."""
    headers = {} if retry_s is None else {"retry-after": str(max(1, math.ceil(retry_s)))}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    said = Problem(type="about:blank", title=HTTPStatus(status).phrase, status=status, detail=detail)
    return JSONResponse(said.model_dump(), status, headers, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Every error of the application becomes a problem."""

    @app.exception_handler(Refusal)
    async def refused(_: Request, error: Refusal) -> JSONResponse:
        return answer(error.status, error.detail, error.retry_s)

    @app.exception_handler(Refused)
    async def not_taken(_: Request, error: Refused) -> JSONResponse:
        return answer(HTTPStatus.CONFLICT, str(error))

    @app.exception_handler(UserError)
    async def not_possible(_: Request, error: UserError) -> JSONResponse:
        # Of the store or the token file: the sentence names paths of this computer, so it is for the operator.
        print(error, file=sys.stderr)
        return answer(HTTPStatus.SERVICE_UNAVAILABLE, "The view cannot do this now: its operator is told why.", 1)

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> JSONResponse:
        said = answer(error.status_code, str(error.detail))
        said.headers.update(error.headers or {})
        return said

    @app.exception_handler(RequestValidationError)
    async def not_valid(_: Request, error: RequestValidationError) -> JSONResponse:
        return answer(HTTPStatus.UNPROCESSABLE_ENTITY, _sentence(error))


def _sentence(error: RequestValidationError) -> str:
    """Where and what, without what was given: that may be long, or a secret in the wrong place."""
    faults = [
        f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in error.errors()[:FAULTS_SHOWN]
    ]
    return f"The request is not as /api/openapi.json says: {'; '.join(faults)}."
