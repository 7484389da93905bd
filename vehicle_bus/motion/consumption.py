"""What driving takes out of a battery, by speed.

Rolling and air resistance in the proportion of a mid-size electric car (1663 kg, 2.19 m² with a
drag coefficient of 0.29, rolling 0.008; 300 W for what is always on: Genikomsakis and Mitrentsis
2017, doi 10.1016/j.trd.2016.10.014), scaled so that the car takes its rated consumption at 90 km/h.
Speeding up is paid back by slowing down.
"""

ROLLING_N = 0.008 * 1663 * 9.81
DRAG_N_PER_SPEED2 = 0.5 * 1.2 * 0.29 * 2.19
ALWAYS_ON_W = 300.0
REFERENCE_SPEED = 25.0
J_PER_KWH = 3_600_000.0


def driving_w(kwh_per_100_km: float, speed: float) -> float:
    """Power at a steady speed in metres per second, with what is always on."""
    reference_n = kwh_per_100_km * J_PER_KWH / 100_000 - ALWAYS_ON_W / REFERENCE_SPEED
    share = _resistance_n(speed) / _resistance_n(REFERENCE_SPEED)
    return reference_n * share * speed + ALWAYS_ON_W


def _resistance_n(speed: float) -> float:
    return ROLLING_N + DRAG_N_PER_SPEED2 * speed * speed
