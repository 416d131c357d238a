"""What is true, whoever asks: pure facts of the domain."""
