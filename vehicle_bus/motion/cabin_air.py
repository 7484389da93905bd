"""The air in the cabin: one heat capacity between the weather, the windows and the climate control.

A single lumped capacity is what the open FASTSim model of NREL uses too; its calibrations look for
it between 50 and 350 kJ/K. The other constants are round figures of a mid-size car: seats, glass
and body exchange some 80 W per kelvin, an open window twice that, and a fan level moves 0.1 kg of
air per second. Sun, humidity and people are left out.
"""

import math

from vehicle_bus.car.state import CarState

CAPACITY_J_PER_K = 130_000.0
BODY_W_PER_K = 80.0
WINDOW_W_PER_K = 160.0
FAN_LEVEL_W_PER_K = 100.0
FAN_LEVEL_W = 30.0
MOST_HEAT_W = 6000.0
HEAT_PER_POWER = 2.0  # of a heat pump or an air conditioning on an average day


def target_c(state: CarState, outside_c: float) -> float:
    """Where the temperature of the air tends to."""
    ventilation, windows = _ventilation(state), _windows(state)
    if not ventilation:
        return outside_c
    blown_c = _blown_c(state, outside_c)
    return (ventilation * blown_c + windows * outside_c) / (ventilation + windows)


def later_c(state: CarState, inside_c: float, outside_c: float, seconds: float) -> float:
    """The temperature of the air after some seconds with everything else as it is."""
    target = target_c(state, outside_c)
    exchange = BODY_W_PER_K + _windows(state) + _ventilation(state)
    return target + (inside_c - target) * math.exp(-exchange / CAPACITY_J_PER_K * seconds)


def climate_w(state: CarState, inside_c: float, outside_c: float) -> float:
    """Electric power of fan, heating and cooling."""
    blown_c = _blown_c(state, outside_c)
    lost = (BODY_W_PER_K + _windows(state)) * abs(blown_c - outside_c)
    changing = _ventilation(state) * abs(blown_c - inside_c)
    works = state.fan_speed > 0 and blown_c != outside_c
    heat = min(lost + changing, MOST_HEAT_W) if works else 0.0
    return heat / HEAT_PER_POWER + FAN_LEVEL_W * state.fan_speed


def _blown_c(state: CarState, outside_c: float) -> float:
    """What comes out of the vents: heating always works, cooling wants the air conditioning."""
    wanted = (state.climate_temperature_driver + state.climate_temperature_passenger) / 2
    return wanted if wanted >= outside_c or state.air_conditioning else outside_c


def _ventilation(state: CarState) -> float:
    return FAN_LEVEL_W_PER_K * state.fan_speed


def _windows(state: CarState) -> float:
    percent = (
        state.sunroof_position
        + state.window_driver_position
        + state.window_passenger_position
        + state.window_driver_rear_position
        + state.window_passenger_rear_position
    )
    return WINDOW_W_PER_K * percent / 100
