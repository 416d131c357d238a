"""What an installation consists of: settings, manifests made from them, and how they get there."""
