"""What a person types becomes an input, by the action's own schema."""
