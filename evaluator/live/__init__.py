"""A car to talk to: broker, gateway, agent, a driver, and an observer of everything."""

from evaluator.live.bench import LiveBench, live_bench, live_car
from evaluator.live.car import LiveCar
from evaluator.live.conversation import ConversationBroken
from evaluator.live.observer import Feed, Observer
from evaluator.live.reply import Reply
from evaluator.live.settings import CarRequest, LiveSettings

__all__ = [
    "CarRequest",
    "ConversationBroken",
    "Feed",
    "LiveBench",
    "LiveCar",
    "LiveSettings",
    "Observer",
    "Reply",
    "live_bench",
    "live_car",
]
