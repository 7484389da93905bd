"""The pytest plug-in; pytest always loads it, so nothing heavy is imported before it is used."""
