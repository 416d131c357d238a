"""What the API server asks us before it stores one of our objects."""
