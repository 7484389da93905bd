"""How an assistant admits that a part of the car is missing."""

from assistant_gateway.wording.spoken import spoken

# What a tool is there for; said when the car does not have it.
THINGS = {
    "open_close_sunroof": "move the sunroof",
    "open_close_sunshade": "move the sunshade",
    "open_close_trunk_door": "open or close the trunk",
    "open_close_window": "move the windows",
    "set_air_circulation": "change the air circulation",
    "set_air_conditioning": "turn the air conditioning on or off",
    "set_ambient_lights": "change the ambient light",
    "set_climate_temperature": "set the temperature",
    "set_fan_airflow_direction": "direct the airflow",
    "set_fan_speed": "set the fan",
    "set_fog_lights": "turn the fog lights on or off",
    "set_head_lights_high_beams": "turn the high beams on or off",
    "set_head_lights_low_beams": "turn the low beams on or off",
    "set_reading_light": "turn the reading lights on or off",
    "set_seat_heating": "set the seat heating",
    "set_steering_wheel_heating": "set the steering wheel heating",
    "set_window_defrost": "turn the window defrosters on or off",
    "get_ambient_light_status_and_color": "look up the ambient light",
    "get_car_color": "look up the colour of the car",
    "get_climate_settings": "look up the climate settings",
    "get_exterior_lights_status": "look up the exterior lights",
    "get_reading_lights_status": "look up the reading lights",
    "get_seat_heating_level": "look up the seat heating",
    "get_seats_occupancy": "see which seats are occupied",
    "get_steering_wheel_heating_level": "look up the steering wheel heating",
    "get_sunroof_and_sunshade_position": "look up sunroof and sunshade",
    "get_temperature_inside_car": "look up the temperature inside",
    "get_trunk_door_position": "look up the trunk",
    "get_vehicle_window_positions": "look up the windows",
    "get_user_preferences": "look up your stored preferences",
    "get_weather": "look up the weather",
    "get_location_id_by_location_name": "look up a place by its name",
    "get_routes_from_start_to_destination": "look up routes",
    "get_current_navigation_state": "look up the current navigation",
    "set_new_navigation": "start a navigation",
    "delete_current_navigation": "stop the navigation",
    "navigation_add_one_waypoint": "add a stop to the trip",
    "navigation_replace_one_waypoint": "replace a stop of the trip",
    "navigation_replace_final_destination": "change the destination",
    "navigation_delete_waypoint": "remove a stop from the trip",
    "navigation_delete_destination": "remove the destination of the trip",
    "search_poi_at_location": "search for places in a town",
    "search_poi_along_the_route": "search for places along a route",
    "convert_route_distance_and_time": "convert distance and time on a route",
    "get_charging_specs_and_status": "look up the state of the battery",
    "get_distance_by_soc": "work out how far the battery lasts",
    "calculate_charging_time_by_soc": "work out how long charging takes",
    "calculate_charging_soc_by_time": "work out how much charging brings",
    "set_charge_limit": "set the charge limit",
    "calculate_math": "calculate",
    "calculate_datetime": "calculate dates and times",
    "get_contact_id_by_contact_name": "look up contacts by name",
    "get_contact_information": "look up the details of contacts",
    "get_entries_from_calendar": "look into the calendar",
    "call_phone_by_number": "place a phone call",
    "send_email": "send an e-mail",
}
PARAMETERS = {
    "percentage": "to a particular percentage",
    "level": "to a particular level",
    "lightcolor": "to a particular colour",
    "mode": "to a particular mode",
    "direction": "in a particular direction",
    "temperature": "to a particular temperature",
    "seat_zone": "for just one side",
    "position": "seat by seat",
    "window": "one by one",
    "defrost_window": "for a particular window",
    "email_addresses": "to a particular recipient",
    "content_message": "with a text of your own",
    "contact_first_name": "by first name",
    "contact_last_name": "by last name",
    "location_or_poi_id": "for a particular place",
    "location": "of your choice",
    "location_id": "of your choice",
    "start_id": "from a particular start",
    "destination_id": "to a particular destination",
    "route_ids": "along a particular route",
    "route_id": "of your choice",
    "category_poi": "by kind",
    "filters": "with conditions",
    "at_kilometer": "around a particular kilometre",
    "detailed_information": "in detail",
    "waypoint_id_to_add": "at a particular place",
    "waypoint_id_after_new_waypoint": "at a particular point",
    "waypoint_id_before_new_waypoint": "at a particular point",
    "waypoint_id_to_replace": "of your choice",
    "waypoint_id_to_delete": "of your choice",
    "new_waypoint_id": "with one of your choice",
    "new_destination_id": "to a particular place",
    "destination_id_to_delete": "of your choice",
    "route_id_leading_to_new_waypoint": "along a particular route",
    "route_id_leading_away_from_new_waypoint": "along a particular route",
    "route_id_leading_to_new_destination": "along a particular route",
    "route_id_without_waypoint": "along a particular route",
    "charging_station_id": "at a particular station",
    "charging_station_plug_id": "at a particular plug",
    "start_state_of_charge": "from a particular state of charge",
    "target_state_of_charge": "up to a particular state of charge",
    "initial_state_of_charge": "from a particular state of charge",
    "final_state_of_charge": "down to a particular state of charge",
    "charging_time": "in a given time",
    "limit_percent": "to a particular percentage",
}
RESULTS = {
    "opening_hours": "opening hours of these places",
    "phone_number": "phone number of that contact",
    "email": "e-mail address of that contact",
    "seats_occupied": "occupied seats",
    "car_color": "colour of the car",
    "road_types": "kinds of road on the routes",
    "name_via": "streets of the routes",
    "routes": "routes",
    "alias": "fastest or shortest of the routes",
    "distance_km": "length of the route",
    "duration_hours": "duration of the route",
    "duration_minutes": "duration of the route",
    "details": "details of the navigation",
    "waypoints": "stops of the trip",
    "waypoints_id": "stops of the trip",
    "routes_to_final_destination_id": "routes of the navigation",
    "pois_found": "places of that search",
    "pois_found_along_route": "places of that search",
    "charging_plugs": "plugs of the charging station",
    "availability": "free plugs of the charging station",
    "state_of_charge": "state of charge of the battery",
    "remaining_range": "range of the battery",
    "battery_capacity_kwh": "capacity of the battery",
    "max_charging_power_ac": "charging power with alternating current",
    "max_charging_power_dc": "charging power with direct current",
}

# Fields that are better told in a clause than by a name.
CLAUSES = {
    "condition": "what the weather is like",
    "attendees": "who takes part in your meetings",
    "includes_toll": "whether the routes have tolls",
    "trunk_door_position": "whether the trunk is open",
    "head_lights_high_beams": "whether the high beams are on",
    "head_lights_low_beams": "whether the low beams are on",
    "fog_lights": "whether the fog lights are on",
    "air_conditioning": "whether the air conditioning is on",
    "window_front_defrost": "whether the front defroster is on",
    "window_rear_defrost": "whether the rear defroster is on",
}


def cannot(removed: str) -> str:
    """One sentence that admits that a part of the car (a dotted path) is missing."""
    kind, _, rest = removed.partition(".")
    if kind == "result":
        field = rest.rpartition(".")[2]
        part = CLAUSES.get(field, f"the {RESULTS.get(field, spoken(field))}")
        return f"I'm sorry, I can't tell {part}: the car doesn't give me that information."
    thing = THINGS.get(kind, f"use {spoken(kind)}")
    if rest:
        thing = f"{thing} {PARAMETERS.get(rest, f'with a particular {spoken(rest)}')}"
    return f"I'm sorry, I can't {thing}: that function isn't available in this car."


def could_not(tool: str) -> str:
    """One sentence that admits that the car did not do something it can do."""
    thing = THINGS.get(tool, f"use {spoken(tool)}")
    return f"I'm sorry, I couldn't {thing}: the car doesn't respond properly right now."


def cannot_tell(tool: str) -> str:
    """One sentence that admits that nobody knows whether something was done."""
    thing = THINGS.get(tool, f"use {spoken(tool)}")
    return f"I tried to {thing}, but the car didn't answer, so I don't know whether it worked."
