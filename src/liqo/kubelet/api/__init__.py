"""What the API server asks a kubelet for: logs, exec, attach, port-forward, figures; on port 10250.

Whoever connects is known by a certificate or a token, and may what the API server says. What
concerns a pod is asked of its twin on the provider.
"""
