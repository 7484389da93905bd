"""`codriver tasks`: a module per command."""
