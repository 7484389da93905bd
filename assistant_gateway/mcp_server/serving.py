"""An MCP server whose tools change: over streamable HTTP with a token, or over stdio."""

import asyncio
import hmac
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast
from urllib.parse import parse_qs

import anyio
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptMessage,
    TextContent,
    Tool,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from assistant_gateway.net.web import listening, serving

NAME = "codriver"
LONGEST_LINE = 4 * 1024 * 1024
MOST_SESSIONS = 100  # that are remembered
ListTools = Callable[[], Awaitable[list[Tool]]]
CallTool = Callable[[str, dict[str, Any]], Awaitable[CallToolResult]]
Context = Any  # of a request; its type has parameters that nothing here reads


class ToolServer:
    """Tools that change, and one prompt, for any number of clients of both eras of the protocol."""

    def __init__(
        self, instructions: str, prompts: Mapping[str, str], list_tools: ListTools, call: CallTool
    ) -> None:
        self._list_tools = list_tools
        self._call = call
        self._prompts = prompts
        # Of clients that shook hands, by their id, the latest last; nothing says when one has gone.
        self._sessions: dict[str, ServerSession] = {}
        self._events = InMemorySubscriptionBus()
        self.server = _ChangingServer(
            NAME,
            instructions=instructions,
            on_list_tools=self._on_list_tools,
            on_call_tool=self._on_call_tool,
            on_list_prompts=self._on_list_prompts,
            on_get_prompt=self._on_get_prompt,
            on_subscriptions_listen=ListenHandler(self._events),
        )

    async def tell_tools_changed(self) -> None:
        """Have all clients ask for the tools again."""
        await self._events.publish(ToolsListChanged())
        for session_id, session in tuple(self._sessions.items()):
            try:
                await session.send_tool_list_changed()
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                self._sessions.pop(session_id, None)

    def _knows(self, context: Context) -> None:
        """Remember how a client is told, unless it asks for changes itself, as newer ones do."""
        if context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
            headers = context.request.headers if context.request is not None else {}
            session_id = headers.get("mcp-session-id", "")
            self._sessions.pop(session_id, None)
            self._sessions[session_id] = context.session
            if len(self._sessions) > MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]

    async def _on_list_tools(
        self, context: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        self._knows(context)
        return ListToolsResult(tools=await self._list_tools())

    async def _on_call_tool(
        self, context: Context, params: CallToolRequestParams
    ) -> CallToolResult:
        self._knows(context)
        return await self._call(params.name, params.arguments or {})

    async def _on_list_prompts(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        return ListPromptsResult(prompts=[Prompt(name=name) for name in self._prompts])

    async def _on_get_prompt(
        self, _context: Context, params: GetPromptRequestParams
    ) -> GetPromptResult:
        if params.name not in self._prompts:
            raise MCPError(INVALID_PARAMS, f"there is no prompt {params.name}")
        text = TextContent(text=self._prompts[params.name])
        return GetPromptResult(messages=[PromptMessage(role="user", content=text)])


class _ChangingServer(Server[dict[str, Any]]):
    """Says in the handshake that its tools change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        changing = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(
            changing, experimental_capabilities, extensions
        )


@asynccontextmanager
async def http_servers(
    served: Mapping[str, ToolServer], *, port: int, option: str, token: str | None = None
) -> AsyncIterator[str]:
    """Serve each at its path on 127.0.0.1 while the block runs; yields the address before the path.

    With a `token` requests need it as a bearer, or as `?token=` for clients that set no headers.
    Raises `PortTaken`, which names the `option` for the port.
    """
    at = listening("127.0.0.1", port, option)
    async with AsyncExitStack() as stack:
        apps: dict[str, ASGIApp] = {}
        for path, tools in served.items():
            apps[path] = tools.server.streamable_http_app(streamable_http_path=path)
            await stack.enter_async_context(tools.server.session_manager.run())
        address = f"http://127.0.0.1:{at.getsockname()[1]}"
        await stack.enter_async_context(serving(_Admitting(apps, token), at, "MCP server"))
        yield address


class _Admitting:
    """Hands requests with the right token on to the application at their path."""

    def __init__(self, apps: Mapping[str, ASGIApp], token: str | None) -> None:
        self._apps = apps
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        app: ASGIApp | None = self._apps.get(scope["path"])
        if app is None:
            app = PlainTextResponse(f"the server is at {', '.join(self._apps)}\n", 404)
        elif self._token is not None and not hmac.compare_digest(
            _token(scope).encode(), self._token.encode()
        ):
            app = PlainTextResponse("a token is needed: Authorization: Bearer TOKEN\n", 401)
        await app(scope, receive, send)


def _token(scope: Scope) -> str:
    """The token of a request; empty without one."""
    for name, value in scope["headers"]:
        if name == b"authorization" and value.lower().startswith(b"bearer "):
            token: str = value[7:].decode("latin-1")
            return token
    query: str = scope["query_string"].decode("latin-1")
    return parse_qs(query).get("token", [""])[0]


async def serve_stdio(tools: ToolServer) -> None:
    """Serve the client that has started this process until it closes our stdin, or cancelled.

    What is printed meanwhile must go to stderr.
    """
    assert sys.__stdout__ is not None
    stdout = anyio.wrap_file(sys.__stdout__)
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    loop = asyncio.get_running_loop()
    pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        # Not with the reader of the SDK: that waits in a thread, which cannot be cancelled.
        stdin = cast("anyio.AsyncFile[str]", reader)
        async with stdio_server(stdin, stdout) as (read, write):
            server = tools.server
            await server.run(read, write, server.create_initialization_options())
    finally:
        pipe.close()
