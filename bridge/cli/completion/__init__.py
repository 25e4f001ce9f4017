"""What shells complete."""
