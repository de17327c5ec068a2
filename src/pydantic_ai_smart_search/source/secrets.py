"""Credentials: files that hold them by their name."""

from __future__ import annotations

import re
from typing import Final

# The names that tools give to the files they keep credentials in.
_SECRET_NAME: Final = re.compile(
    r"""
    \.env(\..*)?|.*\.env
    | .*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn|keytab|secrets?|tfstate|tfstate\.backup|tfvars)
    | id_.*
    | secrets?\..*
    | credentials.*
    | \.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|\.dockercfg
    """,
    re.IGNORECASE | re.VERBOSE,
)

# Programs *about* credentials: `secrets.py` of the standard library is one. What they hold is screened by content.
_PROGRAM_NAME: Final = re.compile(r'.*\.(py|pyi|go|rs|js|jsx|ts|tsx|java|kt|c|h|cc|cpp|cs|rb|php|swift|md|rst)', re.IGNORECASE)


def is_secret_name(path: str) -> bool:
    """Whether a file holds credentials, told by its name."""
    name = path.rpartition('/')[2]
    return _SECRET_NAME.fullmatch(name) is not None and _PROGRAM_NAME.fullmatch(name) is None
