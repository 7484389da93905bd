"""The contract as an AsyncAPI 3.1 document: all topics, all frames, their schemas and bindings."""

from collections.abc import Iterator
from typing import Any

from evaluator.contract_document.channels import (
    ENDPOINTS,
    PARAMETERS,
    PREFIX,
    TOPICS,
    Endpoint,
    Topic,
    Way,
)
from evaluator.contract_document.schemas import Schema, component_schemas, frame_schema

ASYNCAPI = "3.1.0"
CONTRACT = "1.0.0"  # the first number is the v1 of topics and subprotocols
JSON = "application/json"
ABOUT = f"""What travels between a car, the gateway and the evaluator over MQTT, and between the
gateway, agents and drivers over WebSocket.

Version 1 may only gain fields: ignore those that you do not know. Topics begin with `{PREFIX}`,
unless a bench is started with another prefix. `seq` counts 1, 2, 3, … per source and car, `n` is a
Lamport counter, `t_ns` is session time and `mono_ns` the clock of the sender: order and
completeness are read from these, never from arrival. An empty payload only clears a retained topic.
"""


def document() -> dict[str, Any]:
    """The whole document, as plain JSON values."""
    return {
        "asyncapi": ASYNCAPI,
        "info": {
            "title": "codriver",
            "version": CONTRACT,
            "description": ABOUT,
            "license": {"name": "MIT"},
        },
        "defaultContentType": JSON,
        "servers": {
            "broker": {
                "host": "127.0.0.1:1883",
                "protocol": "mqtt",
                "protocolVersion": "5.0",
                "description": "Any MQTT 5 broker; with 3.1.1 the payloads are the same.",
                "security": [{"$ref": "#/components/securitySchemes/password"}],
            },
            "gateway": {
                "host": "127.0.0.1:8765",
                "protocol": "ws",
                "description": "The gateway of `codriver run --agent ws` and `codriver serve`.",
                "security": [{"$ref": "#/components/securitySchemes/token"}],
            },
        },
        "channels": dict([*map(_topic_channel, TOPICS), *map(_endpoint_channel, ENDPOINTS)]),
        "operations": dict(_operations()),
        "components": {
            "messages": dict(_messages()),
            "schemas": component_schemas(),
            "securitySchemes": {
                "password": {"type": "userPassword"},
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "One for agents, another one for drivers.",
                },
            },
        },
    }


# --- channels


def _topic_channel(topic: Topic) -> tuple[str, dict[str, Any]]:
    return topic.name, {
        "address": topic.address,
        "summary": topic.summary,
        "servers": [{"$ref": "#/servers/broker"}],
        "parameters": {name: {"description": PARAMETERS[name]} for name in topic.parameters},
        "messages": {
            payload.__name__: _message_ref(payload.__name__) for payload in topic.payloads
        },
    }


def _endpoint_channel(endpoint: Endpoint) -> tuple[str, dict[str, Any]]:
    messages = [*_frame_names(endpoint, "to"), *_frame_names(endpoint, "from")]
    return endpoint.name, {
        "address": endpoint.address,
        "summary": endpoint.summary,
        "description": f"Subprotocol `{endpoint.subprotocol}`. Each frame is one JSON text.",
        "servers": [{"$ref": "#/servers/gateway"}],
        "messages": {name: _message_ref(name) for name in messages},
        "bindings": {
            "ws": {
                "method": "GET",
                "headers": {
                    "type": "object",
                    "required": ["Authorization", "Sec-WebSocket-Protocol"],
                    "properties": {
                        "Authorization": {"type": "string", "pattern": "^Bearer "},
                        "Sec-WebSocket-Protocol": {"const": endpoint.subprotocol},
                    },
                },
                "bindingVersion": "0.1.0",
            }
        },
    }


def _frame_names(endpoint: Endpoint, way: Way) -> list[str]:
    return [frame_name(endpoint, way, kind) for kind in endpoint.frames[way]]


def frame_name(endpoint: Endpoint, way: Way, kind: str) -> str:
    """The name of the message: `to_agent.session.start`."""
    return f"{way}_{endpoint.name}.{kind}"


def _message_ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/messages/{name}"}


# --- messages


def _messages() -> Iterator[tuple[str, dict[str, Any]]]:
    for topic in TOPICS:
        for payload in topic.payloads:
            name = payload.__name__
            message = _message(name, payload.__doc__, {"$ref": f"#/components/schemas/{name}"})
            if topic.user_properties:
                message["headers"] = {
                    "type": "object",
                    "description": "User properties of MQTT 5.",
                    "properties": {key: _described(text) for key, text in topic.user_properties},
                }
            if topic.response_topic:
                message["bindings"] = {
                    "mqtt": {
                        "responseTopic": _described(topic.response_topic),
                        "correlationData": _described(topic.correlation_data),
                        "bindingVersion": "0.2.0",
                    }
                }
            yield name, message
    for endpoint in ENDPOINTS:
        for way, frames in endpoint.frames.items():
            for kind, body in frames.items():
                schema = frame_schema(endpoint, way, kind)
                yield (
                    frame_name(endpoint, way, kind),
                    _message(kind, body.__dict__.get("__doc__"), schema),
                )


def _described(text: str) -> Schema:
    return {"type": "string", "description": text}


def _message(name: str, doc: str | None, payload: Schema) -> dict[str, Any]:
    message: dict[str, Any] = {"name": name, "contentType": JSON, "payload": payload}
    if doc:
        message["summary"] = " ".join(doc.split("\n\n")[0].split())
    return message


# --- operations


def _operations() -> Iterator[tuple[str, dict[str, Any]]]:
    """Who sends and who reads: an operation each, named `car.send.signal`."""
    for topic in TOPICS:
        mqtt = {"mqtt": {"qos": 1, "retain": topic.retained, "bindingVersion": "0.2.0"}}
        names = [payload.__name__ for payload in topic.payloads]
        send = {**_operation("send", topic.name, names, topic.sender), "bindings": mqtt}
        if topic.response_topic:
            send["reply"] = {
                "address": {
                    "location": "$message.header#/responseTopic",
                    "description": "The Response Topic, or `reply/{src}` if there is none.",
                },
                "channel": {"$ref": "#/channels/reply"},
            }
        yield f"{topic.sender}.send.{topic.name}", send
        for reader in topic.readers:
            read = _operation("receive", topic.name, names, reader)
            yield f"{reader}.receive.{topic.name}", read
    for endpoint in ENDPOINTS:
        names = _frame_names(endpoint, "to")
        yield f"gateway.send.{endpoint.name}", _operation("send", endpoint.name, names, "gateway")
        names = _frame_names(endpoint, "from")
        read = _operation("receive", endpoint.name, names, "gateway")
        yield f"gateway.receive.{endpoint.name}", read


def _operation(action: str, channel: str, messages: list[str], role: str) -> dict[str, Any]:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel}"},
        "messages": [{"$ref": f"#/channels/{channel}/messages/{name}"} for name in messages],
        "tags": [{"name": role}],
    }
