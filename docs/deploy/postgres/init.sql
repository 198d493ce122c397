-- Run once by psql, when a primary has no files yet: the collectors' role with its database, and the role of the standby.

\set ON_ERROR_STOP on
\set collector `printenv COLLECTOR_PASSWORD`
\set replica `printenv REPLICA_PASSWORD`

CREATE ROLE murmuration LOGIN PASSWORD :'collector';
CREATE DATABASE telemetry OWNER murmuration;
CREATE ROLE replica LOGIN REPLICATION PASSWORD :'replica';

-- Last, because from the next start on every commit waits until the standby's disk has it.
ALTER SYSTEM SET synchronous_standby_names = '*';
