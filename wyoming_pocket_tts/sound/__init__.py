"""What is done to finished speech on its way out: rate, volume, silence around it. Knows samples, and nothing of models or text."""
