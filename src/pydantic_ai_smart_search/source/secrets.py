"""Files that hold credentials, told by their name: never read, whatever the caller asks for."""

from __future__ import annotations

from typing import Final

_EXTENSIONS: Final = frozenset(
    {'pem', 'key', 'p8', 'p12', 'pfx', 'jks', 'keystore', 'kdbx', 'ppk', 'keytab', 'ovpn', 'gpg'}
    | {'env', 'secret', 'secrets', 'tfstate', 'tfvars', 'htpasswd', 'pgpass', 'netrc'}
)
"""Key containers, and the state in which tools such as Terraform keep passwords in the clear."""

_NAMES: Final = frozenset(
    {'_netrc', 'secret', 'secrets', 'kubeconfig', 'master.key', 'htpasswd', 'wp-config.php'}
    | {'.npmrc', '.pypirc', '.git-credentials', '.dockercfg', '.boto', '.s3cfg', '.vault-token'}
)

_PREFIXES: Final = (
    '.env',
    'id_',  # OpenSSH: id_rsa, id_ed25519
    'credentials',
    'secret.',
    'secrets.',
    'client_secret',  # Google
    'service-account',
    'service_account',
)

_FOLDERS: Final = frozenset({'.ssh', '.aws', '.azure', '.docker', '.gcloud', '.gnupg', '.kube'})
"""Where tools keep the keys and logins of a person, some of them in files called `config`."""

_ANYWHERE: Final = ('.tfstate.', '.secrets.')

# What is written in these is about credentials rather than made of them: `secrets.py` of Python's
# library, `credentials.go` of AWS. Their snippets are screened for what they hold.
_PROGRAMS: Final = frozenset(
    {'py', 'pyi', 'pyx', 'js', 'cjs', 'mjs', 'jsx', 'ts', 'cts', 'mts', 'tsx', 'vue', 'svelte'}
    | {'go', 'rs', 'java', 'kt', 'kts', 'scala', 'groovy', 'clj', 'c', 'h', 'cc', 'hh', 'cpp'}
    | {'hpp', 'cxx', 'm', 'mm', 'cs', 'fs', 'vb', 'rb', 'erb', 'php', 'swift', 'dart', 'ex', 'exs'}
    | {'erl', 'hs', 'ml', 'lua', 'pl', 'pm', 'r', 'jl', 'sh', 'bash', 'zsh', 'fish', 'ps1', 'sql'}
    | {'proto', 'graphql', 'html', 'css', 'scss', 'md', 'mdx', 'rst', 'adoc', 'ipynb', 'tf', 'hcl'}
)


def is_secret_name(path: str) -> bool:
    """Whether the file at `path` holds credentials, told by its name, whatever its case."""
    name = path.rpartition('/')[2].lower()
    extension = name.rpartition('.')[2]
    if extension in _EXTENSIONS or name in _NAMES:
        return True
    return extension not in _PROGRAMS and (
        name.startswith(_PREFIXES) or any(part in name for part in _ANYWHERE)
    )


def is_secret_folder(path: str) -> bool:
    """Whether the folder at `path` is, or is in, one that holds nothing but credentials."""
    return not _FOLDERS.isdisjoint(path.split('/'))
