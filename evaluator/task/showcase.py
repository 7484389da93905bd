"""What `codriver demo` plays: a dozen tasks that show what is tested, one or more of each kind."""

SHOWCASE = (
    "base_sunroof_in_rain",
    "base_windshield",
    "base_change_of_plan",
    "base_charge_half_way",
    "base_late_mail",
    "base_harbour_tour",
    "limit_no_trunk",
    "limit_number_unknown",
    "limit_charge_to_sixty",
    "ask_which_mira",
    "settle_seat_heating",
    "settle_open_window",
)
