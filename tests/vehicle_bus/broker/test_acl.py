import pytest

from vehicle_bus.broker.acl import Access, permitted
from vehicle_bus.broker.mosquitto_files import acl_file, configuration, password_file
from vehicle_bus.contract import Topics

TOPICS = Topics()


def test_passwords_are_new_in_every_run_and_never_shown() -> None:
    one, other = Access(), Access()
    login = one.credentials("car")
    assert one.admits("car", login.password.encode())
    assert not other.admits("car", login.password.encode())
    assert not one.admits("gateway", login.password.encode())
    assert login.password not in repr(login) + repr(one)


@pytest.mark.parametrize("user", [None, "", "root", "agent", "agent.", "agent.+", "car.v1"])
def test_unknown_users_are_not_admitted(user: str | None) -> None:
    assert not Access().admits(user, b"")


def test_a_password_is_bound_to_its_car() -> None:
    access = Access()
    password = access.credentials("agent", "v1").password.encode()
    assert access.admits("agent.v1", password)
    assert not access.admits("agent.v2", password)


@pytest.mark.parametrize(
    "topic",
    [
        TOPICS.snapshot("v1"),
        TOPICS.clock("v1"),
        TOPICS.command("v1", "set_fan"),
        TOPICS.reply("v1", "gateway-1"),
        TOPICS.session("v1", "s", "frame"),
        TOPICS.session("v1", "s", "turn"),
        TOPICS.session("v1", "s", "control"),
        TOPICS.session("v1", "s", "verdict"),
        TOPICS.signal("v2", "Vehicle.Speed"),
        TOPICS.capabilities("v2"),
        TOPICS.everything("v1"),
        "#",
    ],
)
def test_an_agent_may_not_read(topic: str) -> None:
    assert not permitted(Access().readable("agent.v1", "me"), topic)


@pytest.mark.parametrize(
    "topic",
    [
        TOPICS.signal("v1", "Vehicle.Cabin.Sunroof.Position"),
        TOPICS.capabilities("v1"),
        TOPICS.event("v1", "arrival"),
        TOPICS.status("v1"),
        TOPICS.reply("v1", "me"),
    ],
)
def test_an_agent_may_read(topic: str) -> None:
    assert permitted(Access().readable("agent.v1", "me"), topic)


@pytest.mark.parametrize("client", ["+", "#", "a/b"])
def test_a_client_id_with_wildcards_opens_no_replies(client: str) -> None:
    assert not permitted(Access().readable("agent.v1", client), TOPICS.reply("v1", "gateway-1"))


@pytest.mark.parametrize("role", ["agent", "observer", "evaluator", "gateway"])
def test_only_the_car_writes_what_the_car_says(role: str) -> None:
    user = Access().credentials(role, "v1" if role == "agent" else None).user
    writable = Access().writable(user, "me")
    for topic in (TOPICS.snapshot("v1"), TOPICS.status("v1"), TOPICS.reply("v1", "x")):
        assert not permitted(writable, topic)
        assert permitted(Access().writable("car", "me"), topic)


def test_mosquitto_gets_the_same_rights() -> None:
    access = Access()
    lines = acl_file(access, ("v1",)).splitlines()
    agent = lines[
        lines.index("user agent.v1") : lines.index("pattern read codriver/v1/v1/reply/%c")
    ]
    assert agent == [
        "user agent.v1",
        *(f"topic read {topic}" for topic in access.readable("agent.v1", "")),
        *(f"topic write {topic}" for topic in access.writable("agent.v1", "")),
    ]


def test_mosquitto_gets_no_password_in_clear() -> None:
    access = Access()
    text = password_file(access, ("v1",))
    assert len(text.splitlines()) == 5
    assert access.credentials("car").password not in text


def test_a_vin_cannot_smuggle_a_line_into_the_files() -> None:
    with pytest.raises(ValueError, match="cannot be the name of a car"):
        acl_file(Access(), ("v1\nuser evil\ntopic readwrite #",))


def test_mosquitto_listens_on_loopback_without_websockets() -> None:
    text = configuration(1883, None, None)
    assert "listener 1883 127.0.0.1\n" in text
    assert "websockets" not in text
