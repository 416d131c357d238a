"""The virtual kubelet: one process per virtual node, between the consumer and one provider."""
