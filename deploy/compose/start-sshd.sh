#!/bin/sh
# Makes the key of the server once, so that senders can pin it, and lets in the keys of SFTP_AUTHORIZED_KEYS.
set -eu
[ -f /keys/host ] || ssh-keygen -q -t ed25519 -N '' -f /keys/host
printf '%s\n' "${SFTP_AUTHORIZED_KEYS:-}" >/keys/authorized_keys
chmod 0644 /keys/authorized_keys
exec /usr/sbin/sshd -D -e
