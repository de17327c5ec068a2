"""Files that hold credentials, told by their name."""

from __future__ import annotations

import pytest

from pydantic_ai_smart_search.source.secrets import is_secret_name

SECRET = """
    .env .env.local config/.env.production prod.env server.pem server.key key.p12 a.pfx a.jks
    release.keystore vault.kdbx putty.ppk id_rsa id_ed25519 id_ecdsa.pub ID_RSA a.secret a.secrets
    secret.json secrets.yml secrets.TXT credentials credentials.json Credentials.xml .netrc .npmrc
    .pypirc .git-credentials terraform.tfstate terraform.tfstate.backup prod.tfvars kubeconfig
    app.secrets.yaml client_secret_123.json service-account.json service_account_key.json
    """
INNOCENT = """
    secrets.py credentials.go credentials_provider.rs id_generator.py secrets.rst credentials.md
    environment.py keys.py key.py monkey.ts tokens.py public.crt envoy.yaml secretary.txt hidden
    """


@pytest.mark.parametrize('name', SECRET.split())
def test_a_file_of_credentials_is_known_by_its_name(name: str) -> None:
    assert is_secret_name(name)
    assert is_secret_name(f'some/where/{name}')


@pytest.mark.parametrize('name', INNOCENT.split())
def test_a_program_about_credentials_is_none(name: str) -> None:
    assert not is_secret_name(name)
    assert not is_secret_name(f'secrets/{name}')
