"""The part of the interface `kuksa.val.v2` that a provider of signals needs.

Its messages are declared here and made at import, in a pool of their own: nothing generated has to
be installed, and they do not clash with those of a client of KUKSA in the same process.
"""

from typing import Any

import grpc  # type: ignore[import-untyped]  # neither ships types
from google.protobuf import (  # type: ignore[import-untyped]
    descriptor_pb2,
    descriptor_pool,
    message_factory,
    timestamp_pb2,
)

PACKAGE = "kuksa.val.v2"
SERVICE = f"/{PACKAGE}.VAL"
_FIELD = descriptor_pb2.FieldDescriptorProto
_KINDS = {
    "string": _FIELD.TYPE_STRING,
    "bool": _FIELD.TYPE_BOOL,
    "int32": _FIELD.TYPE_INT32,
    "sint32": _FIELD.TYPE_SINT32,
    "sint64": _FIELD.TYPE_SINT64,
    "uint32": _FIELD.TYPE_UINT32,
    "uint64": _FIELD.TYPE_UINT64,
    "float": _FIELD.TYPE_FLOAT,
    "double": _FIELD.TYPE_DOUBLE,
}
# Fields by message: number, name and type. Fields of the oneof of a message stand after its name,
# a map from int32 is `map TYPE`. Enumerations are their numbers.
_ONEOF = {
    "Value": "typed_value",
    "SignalID": "signal",
    "OpenProviderStreamRequest": "action",
    "OpenProviderStreamResponse": "action",
}
_MESSAGES: dict[str, tuple[tuple[int, str, str], ...]] = {
    "StringArray": ((1, "values", "repeated string"),),
    "Value": (
        (11, "string", "string"),
        (12, "bool", "bool"),
        (13, "int32", "sint32"),
        (14, "int64", "sint64"),
        (15, "uint32", "uint32"),
        (16, "uint64", "uint64"),
        (17, "float", "float"),
        (18, "double", "double"),
        (21, "string_array", "StringArray"),
    ),
    "Datapoint": ((1, "timestamp", ".google.protobuf.Timestamp"), (2, "value", "Value")),
    "SignalID": ((1, "id", "int32"), (2, "path", "string")),
    "Error": ((1, "code", "int32"), (2, "message", "string")),
    "Metadata": (
        (9, "path", "string"),
        (10, "id", "int32"),
        (11, "data_type", "int32"),
        (12, "entry_type", "int32"),
    ),
    "ListMetadataRequest": ((1, "root", "string"), (2, "filter", "string")),
    "ListMetadataResponse": ((1, "metadata", "repeated Metadata"),),
    "ActuateRequest": ((1, "signal_id", "SignalID"), (2, "value", "Value")),
    "PublishValuesRequest": ((1, "request_id", "uint32"), (2, "data_points", "map Datapoint")),
    "PublishValuesResponse": ((1, "request_id", "uint32"), (2, "status", "map Error")),
    "ProvideActuationRequest": ((1, "actuator_identifiers", "repeated SignalID"),),
    "ProvideActuationResponse": (),
    "BatchActuateStreamRequest": ((1, "actuate_requests", "repeated ActuateRequest"),),
    "BatchActuateStreamResponse": ((1, "signal_id", "SignalID"), (2, "error", "Error")),
    "OpenProviderStreamRequest": (
        (1, "provide_actuation_request", "ProvideActuationRequest"),
        (2, "publish_values_request", "PublishValuesRequest"),
        (3, "batch_actuate_stream_response", "BatchActuateStreamResponse"),
    ),
    "OpenProviderStreamResponse": (
        (1, "provide_actuation_response", "ProvideActuationResponse"),
        (2, "publish_values_response", "PublishValuesResponse"),
        (3, "batch_actuate_stream_request", "BatchActuateStreamRequest"),
    ),
}
OK, INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED = 1, 2, 3, 4  # `ErrorCode`
ACTUATOR = 3  # `EntryType`
# The field of `Value` for each number of `DataType`; others than these no signal of ours has.
VALUE_FIELDS = {
    1: "string",
    2: "bool",
    **dict.fromkeys((3, 4, 5), "int32"),
    6: "int64",
    **dict.fromkeys((7, 8, 9), "uint32"),
    10: "uint64",
    11: "float",
    12: "double",
    20: "string_array",
}


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(
        name="codriver/val_v2.proto",
        package=PACKAGE,
        syntax="proto3",
        dependency=[timestamp_pb2.DESCRIPTOR.name],
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        if name in _ONEOF:
            message.oneof_decl.add(name=_ONEOF[name])
        for number, field, kind in fields:
            made = message.field.add(name=field, number=number, label=_FIELD.LABEL_OPTIONAL)
            if name in _ONEOF:
                made.oneof_index = 0
            _set_kind(message, made, kind)
    return file


def _set_kind(message: Any, field: Any, kind: str) -> None:
    many, _, one = kind.rpartition(" ")
    if many:
        field.label = _FIELD.LABEL_REPEATED
    if many == "map":
        camel = "".join(part.capitalize() for part in field.name.split("_"))
        entry = message.nested_type.add(name=f"{camel}Entry")
        entry.options.map_entry = True
        key = entry.field.add(name="key", number=1, label=_FIELD.LABEL_OPTIONAL)
        key.type = _FIELD.TYPE_INT32
        value = entry.field.add(name="value", number=2, label=_FIELD.LABEL_OPTIONAL)
        _set_kind(entry, value, one)
        one = f".{PACKAGE}.{message.name}.{entry.name}"
    if one in _KINDS:
        field.type = _KINDS[one]
    else:
        field.type = _FIELD.TYPE_MESSAGE
        field.type_name = one if one.startswith(".") else f".{PACKAGE}.{one}"


def _made() -> dict[str, Any]:
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.AddSerializedFile(_file().SerializeToString())
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))
        for name in _MESSAGES
    }


MESSAGES = _made()


def list_metadata(channel: grpc.aio.Channel) -> Any:
    """The call `ListMetadata`."""
    return channel.unary_unary(
        f"{SERVICE}/ListMetadata",
        request_serializer=MESSAGES["ListMetadataRequest"].SerializeToString,
        response_deserializer=MESSAGES["ListMetadataResponse"].FromString,
    )


def open_provider_stream(channel: grpc.aio.Channel) -> Any:
    """The call `OpenProviderStream`."""
    return channel.stream_stream(
        f"{SERVICE}/OpenProviderStream",
        request_serializer=MESSAGES["OpenProviderStreamRequest"].SerializeToString,
        response_deserializer=MESSAGES["OpenProviderStreamResponse"].FromString,
    )
