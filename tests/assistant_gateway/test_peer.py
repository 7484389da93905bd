from assistant_gateway.peer import user_peer
from assistant_gateway.protocol import SessionOpen
from tests.assistant_gateway.gateways import rig
from tests.vehicle_bus.reading import room_taken
from vehicle_bus.mqtt.exact_reads import READ_BYTES


async def test_a_frame_takes_no_more_room_than_it_needs_at_either_end() -> None:
    async with (
        rig() as rigged,
        user_peer(rigged.gateway.url, rigged.gateway.tokens.user) as peer,
    ):
        frames = peer.frames()
        for unknown in ("first", "second"):
            with room_taken() as room:
                await peer.send(SessionOpen(scenario_id=unknown))
                frame = await anext(frames)
            assert frame.body.TYPE == "error"
    assert 0 < room.most < READ_BYTES / 4
