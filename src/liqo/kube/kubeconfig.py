"""From kubeconfig files to an Access.

Several files in KUBECONFIG are merged as kubectl does it: the first to name a thing wins, and a
relative path belongs to the file it stands in.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from liqo.api.kubernetes import Secret
from liqo.api.meta import JSON
from liqo.kube.access import NOTHING, Access, Material, Plugin, User
from liqo.kube.errors import Misconfigured

IN_CLUSTER = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass
class _Merged:
    """All files as one; each entry remembers the folder that its relative paths start from."""

    files: list[Path]
    current: str = ""
    contexts: dict[str, JSON] = field(default_factory=dict)
    clusters: dict[str, tuple[JSON, Path]] = field(default_factory=dict)
    users: dict[str, tuple[JSON, Path]] = field(default_factory=dict)

    def __str__(self) -> str:
        return " and ".join(map(str, self.files))


@dataclass(frozen=True)
class Choice:
    """Of what a kubeconfig offers; what is empty is chosen by the file itself."""

    context: str = ""
    cluster: str = ""  # other than the context's
    user: str = ""


def from_kubeconfig(
    path: str = "",
    choice: Choice = Choice(),  # noqa: B008 - a frozen value
    environment: Mapping[str, str] = os.environ,
) -> Access:
    """What is chosen, or current; of that file, of KUBECONFIG, or of ~/.kube/config."""
    return _choose(_merge(_files(path, environment)), choice)


def from_text(text: str, source: str) -> Access:
    """The current context of a kubeconfig that others wrote, who may have meant no good.

    Its files would be ours and its commands would run here: it may name neither.
    """
    origin = Path(source)
    merged = _Merged([origin])
    try:
        _add(merged, _parse(text, origin), origin)
        access = _choose(merged, Choice())
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise Misconfigured(f"{source} is not a kubeconfig: {wrong}") from wrong
    user = access.user
    materials = (access.authority, user.certificate, user.key, user.token)
    if user.plugin or any(material.file for material in materials):
        raise Misconfigured(f"{source} names files or commands: only what it holds itself is used")
    return access


def from_secret(secret: Secret) -> Access:
    """The same, of a Secret that keeps one under `kubeconfig`."""
    content = base64.b64decode(secret.data.get("kubeconfig", "")).decode(errors="replace")
    return from_text(content, f"Secret {secret.key}")


def _choose(merged: _Merged, choice: Choice) -> Access:
    name = choice.context or merged.current
    if not name:
        raise Misconfigured(f"{merged} names no current context: choose one with --context")
    if name not in merged.contexts:
        known = ", ".join(sorted(merged.contexts)) or "none at all"
        raise Misconfigured(f"{merged} has no context {name!r}; it has {known}")
    instead = {"cluster": choice.cluster, "user": choice.user}
    chosen = merged.contexts[name] | {what: other for what, other in instead.items() if other}
    cluster, base = _named(merged, "cluster", chosen, name)
    user, home = _named(merged, "user", chosen, name) if chosen.get("user") else ({}, base)
    return _access(
        cluster, base, _user(user, home), f"context {name} of {merged}", chosen.get("namespace")
    )


def in_cluster(folder: Path = IN_CLUSTER, environment: Mapping[str, str] = os.environ) -> Access:
    """The API server of the cluster that this process runs in, as its pod's service account."""
    host = environment.get("KUBERNETES_SERVICE_HOST", "")
    port = environment.get("KUBERNETES_SERVICE_PORT", "443")
    if not host:
        raise Misconfigured("this process does not run in a pod: KUBERNETES_SERVICE_HOST is unset")
    namespace = Material(file=str(folder / "namespace")).read().strip()
    return Access(
        server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        authority=Material(file=str(folder / "ca.crt")),
        user=User(token=Material(file=str(folder / "token"))),
        namespace=namespace or "default",
        source=f"the service account in {folder}",
    )


def find(path: str = "", environment: Mapping[str, str] = os.environ) -> Access:
    """A kubeconfig that was asked for or is there; else the cluster that we run in."""
    is_there = path or environment.get("KUBECONFIG") or _default(environment).exists()
    if not is_there and "KUBERNETES_SERVICE_HOST" in environment:
        return in_cluster(environment=environment)
    return from_kubeconfig(path, environment=environment)


def _default(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME", "/")) / ".kube" / "config"


def _files(path: str, environment: Mapping[str, str]) -> list[Path]:
    if path:
        return [Path(path).expanduser()]
    listed = [Path(each) for each in environment.get("KUBECONFIG", "").split(os.pathsep) if each]
    there = [each for each in listed if each.exists()]
    return there or listed or [_default(environment)]


def _merge(files: list[Path]) -> _Merged:
    merged = _Merged(files)
    for file in files:
        try:
            text = Material(file=str(file)).read()
        except UnicodeDecodeError as wrong:
            raise Misconfigured(f"{file} is not YAML") from wrong
        _add(merged, _parse(text, file), file)
    return merged


def _add(merged: _Merged, config: JSON, file: Path) -> None:
    merged.current = merged.current or str(config.get("current-context") or "")
    for name, entry in _entries(config, "context", file):
        merged.contexts.setdefault(name, entry)
    for name, entry in _entries(config, "cluster", file):
        merged.clusters.setdefault(name, (entry, file.parent))
    for name, entry in _entries(config, "user", file):
        merged.users.setdefault(name, (entry, file.parent))


def _parse(text: str, file: Path) -> JSON:
    try:
        config = yaml.safe_load(text)
    except yaml.YAMLError as wrong:
        where = getattr(wrong, "problem_mark", None)
        line = f", line {where.line + 1}" if where else ""
        raise Misconfigured(f"{file} is not YAML{line}") from wrong
    if not isinstance(config, dict):
        raise Misconfigured(f"{file} is not a kubeconfig: it holds no clusters, users and contexts")
    return config


def _entries(config: JSON, what: str, file: Path) -> list[tuple[str, JSON]]:
    try:
        return [(entry["name"], entry.get(what) or {}) for entry in config.get(f"{what}s") or ()]
    except (TypeError, KeyError, AttributeError) as wrong:
        raise Misconfigured(f"{file}: each of its {what}s needs a name") from wrong


def _named(merged: _Merged, what: str, chosen: JSON, context: str) -> tuple[JSON, Path]:
    name = str(chosen.get(what) or "")
    known = merged.clusters if what == "cluster" else merged.users
    if name not in known:
        raise Misconfigured(f"context {context!r} of {merged} points to {what} {name!r}: not there")
    return known[name]


def _access(cluster: JSON, base: Path, user: User, source: str, namespace: str | None) -> Access:
    server = str(cluster.get("server") or "")
    if urlsplit(server).scheme not in {"http", "https"}:
        raise Misconfigured(f"{source}: its server {server!r} is not an http or https address")
    proxy = str(cluster.get("proxy-url") or "")
    if proxy and urlsplit(proxy).scheme not in {"http", "https"}:
        raise Misconfigured(f"{source}: only http proxies are supported, not {proxy!r}")
    return Access(
        server=server.rstrip("/"),
        authority=_material(cluster, "certificate-authority", base),
        insecure=bool(cluster.get("insecure-skip-tls-verify")),
        server_name=str(cluster.get("tls-server-name") or ""),
        proxy=proxy,
        user=user,
        namespace=namespace or "default",
        source=source,
    )


def _user(user: JSON, base: Path) -> User:
    if "auth-provider" in user:
        raise Misconfigured("auth-provider left Kubernetes with 1.26: use an exec plugin instead")
    token_file = str(user.get("tokenFile") or "")
    return User(
        certificate=_material(user, "client-certificate", base),
        key=_material(user, "client-key", base),
        token=Material(
            data=str(user.get("token") or ""), file=str(base / token_file) if token_file else ""
        ),
        basic=(user["username"], user.get("password", "")) if user.get("username") else None,
        plugin=_plugin(user["exec"], base) if user.get("exec") else None,
        headers=_impersonation(user),
    )


def _material(entry: JSON, name: str, base: Path) -> Material:
    if encoded := entry.get(f"{name}-data"):
        try:
            return Material(data=base64.b64decode(encoded, validate=True).decode())
        except (binascii.Error, UnicodeDecodeError) as wrong:
            raise Misconfigured(f"{name}-data of the kubeconfig is not base64 of PEM") from wrong
    file = entry.get(name)
    return Material(file=str(base / file)) if file else NOTHING


def _plugin(entry: JSON, base: Path) -> Plugin:
    command = str(entry.get("command") or "")
    if not command:
        raise Misconfigured("an exec plugin of the kubeconfig has no command")
    return Plugin(
        command=str(base / command) if "/" in command else command,
        arguments=tuple(map(str, entry.get("args") or ())),
        environment=tuple((each["name"], each["value"]) for each in entry.get("env") or ()),
        api_version=entry.get("apiVersion") or Plugin.api_version,
        install_hint=str(entry.get("installHint") or ""),
        wants_cluster=bool(entry.get("provideClusterInfo")),
        may_ask=entry.get("interactiveMode") != "Never",
    )


def _impersonation(user: JSON) -> tuple[tuple[str, str], ...]:
    headers = [("Impersonate-User", user["as"])] if user.get("as") else []
    headers += [("Impersonate-Group", group) for group in user.get("as-groups") or ()]
    return tuple(headers)
