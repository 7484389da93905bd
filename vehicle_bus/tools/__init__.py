"""All tools of the car, in the order a model sees them."""

from vehicle_bus.tool import Tool
from vehicle_bus.tools import (
    arithmetic,
    climate,
    lights,
    openings,
    people,
    planning,
    preferences,
    seats,
    weather,
)

# Public tools that arrive with navigation and charging, and go between weather and contacts.
NOT_YET = frozenset(
    {
        "search_poi_at_location",
        "search_poi_along_the_route",
        "get_routes_from_start_to_destination",
        "get_location_id_by_location_name",
        "get_current_navigation_state",
        "convert_route_distance_and_time",
        "set_new_navigation",
        "navigation_add_one_waypoint",
        "navigation_replace_one_waypoint",
        "navigation_replace_final_destination",
        "navigation_delete_waypoint",
        "navigation_delete_destination",
        "delete_current_navigation",
        "get_charging_specs_and_status",
        "get_distance_by_soc",
        "calculate_charging_time_by_soc",
        "calculate_charging_soc_by_time",
    }
)
# Tools of this car that the public benchmark does not have.
NOT_PUBLIC: frozenset[str] = frozenset()

TOOLS: tuple[Tool, ...] = (
    preferences.get_user_preferences,
    arithmetic.calculate_math,
    arithmetic.calculate_datetime,
    planning.think,
    planning.planning_tool,
    openings.open_close_sunroof,
    openings.open_close_sunshade,
    openings.open_close_trunk_door,
    openings.open_close_window,
    climate.set_air_circulation,
    climate.set_air_conditioning,
    lights.set_ambient_lights,
    climate.set_climate_temperature,
    climate.set_fan_airflow_direction,
    climate.set_fan_speed,
    lights.set_fog_lights,
    lights.set_head_lights_high_beams,
    lights.set_head_lights_low_beams,
    lights.set_reading_light,
    seats.set_seat_heating,
    seats.set_steering_wheel_heating,
    climate.set_window_defrost,
    lights.get_ambient_light_status_and_color,
    seats.get_car_color,
    climate.get_climate_settings,
    lights.get_exterior_lights_status,
    lights.get_reading_lights_status,
    seats.get_seat_heating_level,
    seats.get_seats_occupancy,
    seats.get_steering_wheel_heating_level,
    openings.get_sunroof_and_sunshade_position,
    climate.get_temperature_inside_car,
    openings.get_trunk_door_position,
    openings.get_vehicle_window_positions,
    weather.get_weather,
    people.get_contact_id_by_contact_name,
    people.get_entries_from_calendar,
    people.get_contact_information,
    people.call_phone_by_number,
    people.send_email,
)
BY_NAME = {tool.name: tool for tool in TOOLS}
