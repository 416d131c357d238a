"""Virtual kubelets, from outside: one process for each VirtualNode, with rights of its own."""
