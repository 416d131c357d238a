"""From kubeconfig files to an Access, and a sentence for everything that can be wrong in them."""

from __future__ import annotations

import base64
from pathlib import Path

import msgspec
import pytest
import yaml

from liqo.api.kubernetes import Secret
from liqo.api.meta import JSON, Meta
from liqo.kube.access import Material, Plugin
from liqo.kube.errors import Misconfigured
from liqo.kube.kubeconfig import (
    Choice,
    find,
    from_kubeconfig,
    from_secret,
    from_text,
    in_cluster,
)


def a_config(cluster: JSON | None = None, user: JSON | None = None, name: str = "rome") -> JSON:
    return {
        "current-context": name,
        "clusters": [{"name": name, "cluster": {"server": "https://rome:6443", **(cluster or {})}}],
        "users": [{"name": "me", "user": user or {}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": "me"}}],
    }


def write(folder: Path, config: JSON | str, name: str = "config") -> str:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(config if isinstance(config, str) else yaml.safe_dump(config))
    return str(file)


def test_everything_a_cluster_can_say(tmp_path: Path) -> None:
    cluster = {
        "certificate-authority-data": base64.b64encode(b"PEM").decode(),
        "insecure-skip-tls-verify": True,
        "tls-server-name": "kubernetes",
        "proxy-url": "http://proxy:3128",
    }
    access = from_kubeconfig(write(tmp_path, a_config(cluster)))
    assert access.server == "https://rome:6443"
    assert access.authority == Material(data="PEM")
    assert (access.insecure, access.server_name) == (True, "kubernetes")
    assert access.proxy == "http://proxy:3128"
    assert access.namespace == "default"


def test_a_relative_path_belongs_to_its_file(tmp_path: Path) -> None:
    user = {"client-certificate": "me.crt", "client-key": "/abs/me.key", "tokenFile": "token"}
    access = from_kubeconfig(write(tmp_path, a_config({"certificate-authority": "ca.crt"}, user)))
    assert access.authority.file == str(tmp_path / "ca.crt")
    assert access.user.certificate.file == str(tmp_path / "me.crt")
    assert access.user.key.file == "/abs/me.key"
    assert access.user.token.file == str(tmp_path / "token")


def test_a_user_can_be_a_token_a_password_or_somebody_else(tmp_path: Path) -> None:
    user = {"token": "t", "username": "u", "password": "p", "as": "boss", "as-groups": ["a", "b"]}
    found = from_kubeconfig(write(tmp_path, a_config(user=user))).user
    assert found.token.data == "t"
    assert found.basic == ("u", "p")
    assert found.headers == (
        ("Impersonate-User", "boss"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
    )


def test_a_user_can_be_a_plugin(tmp_path: Path) -> None:
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "./login",
        "args": ["--cluster", 7],
        "env": [{"name": "A", "value": "b"}],
        "installHint": "get it",
        "provideClusterInfo": True,
        "interactiveMode": "Never",
    }
    found = from_kubeconfig(write(tmp_path, a_config(user={"exec": plugin}))).user.plugin
    assert found == Plugin(
        command=str(tmp_path / "login"),
        arguments=("--cluster", "7"),
        environment=(("A", "b"),),
        api_version="client.authentication.k8s.io/v1beta1",
        install_hint="get it",
        wants_cluster=True,
        may_ask=False,
    )


def test_several_files_are_one_and_the_first_wins(tmp_path: Path) -> None:
    first = write(tmp_path / "a", a_config({"server": "https://first"}))
    second = write(
        tmp_path / "b",
        {
            **a_config({"server": "https://second"}),
            "contexts": [
                {"name": "milan", "context": {"cluster": "milan", "namespace": "shop"}},
                {"name": "rome", "context": {"cluster": "nowhere"}},
            ],
            "clusters": [
                {"name": "milan", "cluster": {"server": "http://m", "certificate-authority": "ca"}}
            ],
        },
    )
    environment = {"KUBECONFIG": f"{first}:{tmp_path}/missing:{second}"}
    assert from_kubeconfig(environment=environment).server == "https://first"
    milan = from_kubeconfig(choice=Choice("milan"), environment=environment)
    assert (milan.server, milan.namespace) == ("http://m", "shop")
    assert milan.authority.file == str(tmp_path / "b" / "ca")
    mixed = from_kubeconfig(choice=Choice(cluster="milan", user="me"), environment=environment)
    assert mixed.server == "http://m"


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({**a_config(), "current-context": "nope"}, "has no context 'nope'; it has rome"),
        ({**a_config(), "current-context": ""}, "names no current context"),
        ({"contexts": [], "current-context": "x"}, "has no context 'x'; it has none at all"),
        ({**a_config(), "clusters": None}, "points to cluster 'rome': not there"),
        ({**a_config(), "users": []}, "points to user 'me': not there"),
        ({**a_config(), "users": [{"user": {}}]}, "each of its users needs a name"),
        (a_config({"server": "rome:6443"}), "'rome:6443' is not an http or https address"),
        (a_config({"proxy-url": "socks5://p"}), "only http proxies are supported"),
        (a_config({"certificate-authority-data": "%"}), "certificate-authority-data .* not base64"),
        (a_config(user={"auth-provider": {}}), "auth-provider left Kubernetes"),
        (a_config(user={"exec": {"args": ["x"]}}), "has no command"),
        ("a: [", "is not YAML, line 1"),
        ("just text", "is not a kubeconfig"),
    ],
)
def test_each_mistake_has_its_sentence(tmp_path: Path, config: JSON | str, sentence: str) -> None:
    with pytest.raises(Misconfigured, match=sentence):
        from_kubeconfig(write(tmp_path, config))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"cannot read .*/nothing: No such file"):
        from_kubeconfig(str(tmp_path / "nothing"))


def test_without_a_word_it_is_the_file_at_home(tmp_path: Path) -> None:
    write(tmp_path / ".kube", a_config())
    assert find(environment={"HOME": str(tmp_path)}).server == "https://rome:6443"


def test_in_a_pod_it_is_the_service_account(tmp_path: Path) -> None:
    write(tmp_path, "shop\n", "namespace")
    where = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "6443"}
    access = in_cluster(tmp_path, where)
    assert access.server == "https://[fd00::1]:6443"
    assert access.namespace == "shop"
    assert access.user.token.file == str(tmp_path / "token")
    assert access.authority.file == str(tmp_path / "ca.crt")


def test_without_a_file_it_is_the_cluster_that_we_run_in(tmp_path: Path) -> None:
    where = {"HOME": str(tmp_path), "KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    with pytest.raises(Misconfigured, match="serviceaccount/namespace"):
        find(environment=where)  # which has no such folder here


def test_outside_of_a_pod_there_is_no_service_account(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="does not run in a pod"):
        in_cluster(tmp_path, {})


def test_a_kubeconfig_that_others_wrote() -> None:
    access = from_text(yaml.safe_dump(a_config(user={"token": "t"})), "Secret a/b")
    assert (access.server, access.user.token.data) == ("https://rome:6443", "t")
    assert access.source == "context rome of Secret a/b"


@pytest.mark.parametrize(
    "user",
    [
        {"exec": {"command": "rm"}},
        {"tokenFile": "/etc/shadow"},
        {"client-certificate": "c", "client-key": "k"},
    ],
)
def test_others_name_no_file_and_no_command_of_ours(user: JSON) -> None:
    with pytest.raises(Misconfigured, match="names files or commands"):
        from_text(yaml.safe_dump(a_config(user=user)), "Secret a/b")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a list",
        "a: b: c",
        "current-context: a\ncontexts: [{name: a, context: text}]",
        "current-context: [a]\ncontexts: [{name: [a]}]",
        "current-context: a\ncontexts: 7",
        "current-context: a\ncontexts: [{name: a, context: {cluster: a}}]\n"
        "clusters: [{name: a, cluster: {server: 'http://[::1'}}]",
    ],
)
def test_what_others_wrote_may_be_no_kubeconfig(text: str) -> None:
    with pytest.raises(Misconfigured, match="Secret a/b"):
        from_text(text, "Secret a/b")


def test_a_secret_may_hold_one() -> None:
    content = base64.b64encode(yaml.safe_dump(a_config(user={"token": "t"})).encode()).decode()
    raw = msgspec.Raw(msgspec.json.encode({"kubeconfig": content}))
    access = from_secret(Secret(metadata=Meta(name="b", namespace="a"), raw_data=raw))
    assert access.user.token.read() == "t"
    with pytest.raises(Misconfigured, match="Secret a/b"):
        from_secret(Secret(metadata=Meta(name="b", namespace="a")))
