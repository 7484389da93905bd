"""`codriver world`: building and importing worlds, and looking things up in them."""
