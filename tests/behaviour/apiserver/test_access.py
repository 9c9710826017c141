"""Who may: escalation, impersonation, tokens and reviews."""

from __future__ import annotations

from typing import Any

from tests.behaviour.apiserver.serving import MAPS, Served, serving

RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
SUBJECT = [{"kind": "User", "name": "plain"}]


def role(name: str, *verbs: str, resource: str = "configmaps", group: str = "") -> dict[str, Any]:
    rule = {"apiGroups": [group], "resources": [resource], "verbs": list(verbs)}
    return {"metadata": {"name": name}, "rules": [rule]}


def binding(name: str, to: str, kind: str = "Role") -> dict[str, Any]:
    ref = {"apiGroup": GROUP, "kind": kind, "name": to}
    return {"metadata": {"name": name}, "roleRef": ref, "subjects": SUBJECT}


async def allow(served: Served, name: str, *verbs: str, **more: str) -> None:
    roles = f"{RBAC}/namespaces/ns"
    await served.ask("POST", f"{roles}/roles", role(name, *verbs, **more))
    code, _ = await served.ask("POST", f"{roles}/rolebindings", binding(name, name))
    assert code == 201


def test_rights_count_from_the_moment_they_are_given_and_no_longer_than_they_are() -> None:
    async def story(served: Served) -> None:
        assert (await served.ask("GET", MAPS, token="plain"))[0] == 403
        await allow(served, "reads", "list")
        assert (await served.ask("GET", MAPS, token="plain"))[0] == 200
        assert (await served.ask("GET", "/api/v1/configmaps", token="plain"))[0] == 403
        await served.ask("DELETE", f"{RBAC}/namespaces/ns/rolebindings/reads")
        assert (await served.ask("GET", MAPS, token="plain"))[0] == 403

    serving(story)


def test_nobody_gives_what_they_have_not() -> None:
    async def story(served: Served) -> None:
        await allow(served, "makes", "create", resource="roles", group=GROUP)
        roles = f"{RBAC}/namespaces/ns/roles"
        code, text = await served.said("POST", roles, role("more", "get"), token="plain")
        assert (code, text) == (
            403,
            (
                f'roles.{GROUP} "more" is forbidden: user "plain" (groups=["system:authenticated"]) is attempting to grant '
                'RBAC permissions not currently held:\n{APIGroups:[""], Resources:["configmaps"], Verbs:["get"]}'
            ),
        )
        await allow(served, "reads", "get")
        code, _ = await served.ask("POST", roles, role("more", "get"), token="plain")
        assert code == 201

    serving(story)


def test_who_may_bind_or_escalate_may_give_more() -> None:
    async def story(served: Served) -> None:
        bindings = f"{RBAC}/namespaces/ns/rolebindings"
        await allow(served, "makes", "create", resource="rolebindings", group=GROUP)
        wanted = binding("admin", "cluster-admin", "ClusterRole")
        code, text = await served.said("POST", bindings, wanted, token="plain")
        assert code == 403
        assert text.endswith(
            '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}'
        )
        missing = binding("none", "none-such")
        got = await served.said("POST", bindings, missing, token="plain")
        assert got == (404, f'rolebindings.{GROUP} "none-such" not found')
        await allow(served, "binds", "bind", resource="clusterroles", group=GROUP)
        assert (await served.ask("POST", bindings, wanted, token="plain"))[0] == 201

    serving(story)


def test_impersonation_needs_the_right_to_it() -> None:
    async def story(served: Served) -> None:
        code, who = await served.ask(
            "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"},
            impersonate_user="system:serviceaccount:ns:robot",
        )  # fmt: skip
        assert code == 201
        assert who["status"]["userInfo"] == {
            "username": "system:serviceaccount:ns:robot",
            "groups": [
                "system:serviceaccounts",
                "system:serviceaccounts:ns",
                "system:authenticated",
            ],
        }
        got = await served.said("GET", MAPS, token="plain", impersonate_user="jane")
        assert got == (
            403,
            (
                'users "jane" is forbidden: User "plain" cannot impersonate resource "users" in API group "" '
                "at the cluster scope"
            ),
        )
        got = await served.said("GET", MAPS, impersonate_group="team")
        assert got[1] == "requested [{Group  team    }] without impersonating a user"

    serving(story)


async def token_for(served: Served, **spec: Any) -> str:
    accounts = "/api/v1/namespaces/ns/serviceaccounts"
    await served.ask("POST", accounts, {"metadata": {"name": "robot"}})
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
    code, made = await served.ask("POST", f"{accounts}/robot/token", body)
    assert code == 201, made
    return str(made["status"]["token"])


def test_a_token_is_good_for_its_audience_and_as_long_as_its_account() -> None:
    async def story(served: Served) -> None:
        token = await token_for(served)
        assert (await served.ask("GET", MAPS, token=token))[0] == 403
        vault = await token_for(served, audiences=["vault"])
        assert (await served.ask("GET", MAPS, token=vault))[0] == 401
        reviews = "/apis/authentication.k8s.io/v1/tokenreviews"
        for audiences, good in ((["vault"], True), (["other"], None), ([], None)):
            spec = {"token": vault, "audiences": audiences}
            body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec}
            _, review = await served.ask("POST", reviews, body)
            assert review["status"].get("authenticated") is good
        await served.ask("DELETE", "/api/v1/namespaces/ns/serviceaccounts/robot")
        assert (await served.ask("GET", MAPS, token=token))[0] == 401

    serving(story)


def test_access_reviews_say_by_which_binding() -> None:
    async def story(served: Served) -> None:
        await allow(served, "reads", "get")
        body = {
            "apiVersion": "authorization.k8s.io/v1", "kind": "LocalSubjectAccessReview",
            "metadata": {"namespace": "ns"},
            "spec": {
                "user": "plain",
                "resourceAttributes": {"namespace": "ns", "verb": "get", "resource": "configmaps"},
            },
        }  # fmt: skip
        path = "/apis/authorization.k8s.io/v1/namespaces/ns/localsubjectaccessreviews"
        _, review = await served.ask("POST", path, body)
        assert review["status"] == {
            "allowed": True,
            "reason": 'RBAC: allowed by RoleBinding "reads/ns" of Role "reads" to User "plain"',
        }
        body["spec"]["resourceAttributes"]["namespace"] = "other"  # type: ignore[index]
        got = await served.said("POST", path, body)
        assert got == (
            422,
            (
                '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "other": '
                "must match metadata.namespace"
            ),
        )

    serving(story)


def test_nobody_unknown_sees_more_than_health_and_version() -> None:
    async def story(served: Served) -> None:
        for path in ("/healthz", "/livez", "/readyz", "/version"):
            assert (await served.ask("GET", path, token="wrong"))[0] == 200
        for path in ("/", "/api", "/apis", "/metrics", "/openapi/v3", MAPS):
            assert (await served.ask("GET", path, token="wrong"))[0] == 401

    serving(story)
