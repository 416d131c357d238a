"""The CustomResourceDefinitions, rendered from the models."""
