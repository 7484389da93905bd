"""Motifs by domain; a motif sets up one instance of itself in a scene."""
