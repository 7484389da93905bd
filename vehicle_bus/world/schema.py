"""What a world looks like in SQLite.

Rows are kept as the JSON objects of the public file format; columns beside them are what is asked
for. `lies` holds a place once for its location, or once for each direction of the routes it lies on
(the first eleven characters of a route id).
"""

FORMAT = 1
TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entry (kind TEXT, number INTEGER, row BLOB NOT NULL, PRIMARY KEY (kind, number))
    WITHOUT ROWID;
CREATE TABLE poi (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, category TEXT NOT NULL,
    fraction REAL, detour_km REAL NOT NULL, row BLOB NOT NULL);
CREATE TABLE lies (place TEXT, category TEXT, poi INTEGER, kilometre REAL,
    PRIMARY KEY (place, category, poi)) WITHOUT ROWID;
CREATE TABLE route (number INTEGER PRIMARY KEY, route_id TEXT NOT NULL UNIQUE,
    start_id TEXT NOT NULL, destination_id TEXT NOT NULL, row BLOB NOT NULL);
CREATE TABLE recipe (number INTEGER PRIMARY KEY, route_id TEXT NOT NULL UNIQUE,
    start_id TEXT NOT NULL, destination_id TEXT NOT NULL, base_route_id TEXT NOT NULL,
    alternative INTEGER NOT NULL, fraction REAL, detour_km REAL NOT NULL);
CREATE TABLE answer (start_id TEXT, destination_id TEXT, rank INTEGER, route_id TEXT NOT NULL,
    PRIMARY KEY (start_id, destination_id, rank)) WITHOUT ROWID;
CREATE TABLE detour (poi_id TEXT, route_id TEXT, row BLOB NOT NULL,
    PRIMARY KEY (poi_id, route_id)) WITHOUT ROWID;
"""
INDEXES = (
    "CREATE INDEX route_ends ON route (start_id, destination_id)",
    "CREATE INDEX recipe_ends ON recipe (start_id, destination_id)",
)
CONTENT = ("entry", "poi", "lies", "route", "recipe", "answer", "detour")
KINDS = ("locations", "weather", "contacts", "calendars")
