"""Virtual kubelets, from outside."""
