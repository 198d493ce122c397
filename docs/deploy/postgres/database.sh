#!/bin/sh
# Starts a database. With STANDBY_OF it is a standby of that one, of which it takes a copy if it has no files yet.
set -eu

if [ -n "${STANDBY_OF:-}" ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  until PGPASSWORD="$REPLICA_PASSWORD" pg_basebackup --host="$STANDBY_OF" --username=replica --pgdata="$PGDATA" \
    --write-recovery-conf --checkpoint=fast; do
    sleep 1
  done
  chmod 0700 "$PGDATA"
fi
exec docker-entrypoint.sh "$@"
