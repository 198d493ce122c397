-- Makes a standby the primary. Run it only after the old primary has been stopped: two primaries would both count.

\set ON_ERROR_STOP on

-- It has no standby of its own yet, for which commits would wait.
ALTER SYSTEM SET synchronous_standby_names = '';
SELECT pg_reload_conf();
SELECT pg_promote();
