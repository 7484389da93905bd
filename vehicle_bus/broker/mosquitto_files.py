"""What mosquitto reads at start: configuration, users and rights, from the same Access. Pure."""

import base64
import hashlib
import secrets
from pathlib import Path

from vehicle_bus.broker.acl import Access, Credentials, is_one_level
from vehicle_bus.mqtt.packets import LARGEST_PACKET

HASH_ITERATIONS = 101  # what mosquitto_passwd uses; our passwords are random, not guessable


def configuration(port: int, passwords: Path | None, acl: Path | None) -> str:
    """Loopback only, no WebSocket listener, nothing kept on disk; without files open to all."""
    lines = [
        "user root",  # read only when started as root: our files are readable by us alone
        f"listener {port} 127.0.0.1",
        "set_tcp_nodelay true",
        "persistence false",
        "max_inflight_messages 0",
        "max_queued_messages 0",
        "max_queued_bytes 0",
        f"max_packet_size {LARGEST_PACKET}",
        "log_dest stderr",
        "log_type error",
        "log_type warning",
        "log_type notice",
    ]
    if passwords is None or acl is None:
        lines.append("allow_anonymous true")
    else:
        lines += ["allow_anonymous false", f"password_file {passwords}", f"acl_file {acl}"]
    return "\n".join(lines) + "\n"


def password_file(access: Access, agents: tuple[str, ...]) -> str:
    """One hashed password per user."""
    return "".join(f"{login.user}:{_hashed(login.password)}\n" for login in _users(access, agents))


def acl_file(access: Access, agents: tuple[str, ...]) -> str:
    """The rights of each user; those that depend on the client id are patterns for everybody."""
    lines: list[str] = []
    patterns: list[str] = []
    for login in _users(access, agents):
        lines.append(f"user {login.user}")
        lines += [f"topic read {topic}" for topic in access.readable(login.user, "")]
        lines += [f"topic write {topic}" for topic in access.writable(login.user, "")]
        patterns += [
            f"pattern read {topic}"
            for topic in access.readable(login.user, "%c")
            if topic.endswith("/%c")
        ]
    return "\n".join([*lines, *dict.fromkeys(patterns)]) + "\n"


def _users(access: Access, agents: tuple[str, ...]) -> list[Credentials]:
    for vin in agents:
        if not is_one_level(vin):
            raise ValueError(f"{vin!r} cannot be the name of a car")
    roles = [access.credentials(role) for role in access.rights if role != "agent"]
    return roles + [access.credentials("agent", vin) for vin in agents]


def _hashed(password: str) -> str:
    salt = secrets.token_bytes(12)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, HASH_ITERATIONS)
    encoded = [base64.b64encode(part).decode() for part in (salt, digest)]
    return f"$7${HASH_ITERATIONS}${encoded[0]}${encoded[1]}"
