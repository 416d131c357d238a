"""Pods: out to the provider as ShadowPods, and their status back."""

from liqo.kubelet.pods.controller import Supplies, controller

__all__ = ["Supplies", "controller"]
