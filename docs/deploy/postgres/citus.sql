-- Distributes the store over the nodes of a Citus cluster. Run it once, on the coordinator, after a collector has created the tables and
-- before there are reports. Every key begins with `shard`, so nothing else changes, and collectors connect to the coordinator as to any
-- other server. All tables share the placement of `shard`, so that what a fold reads and writes is on one node.

CREATE EXTENSION IF NOT EXISTS citus;

SELECT create_reference_table('murmuration.store');

SELECT create_distributed_table('murmuration.shard', 'shard');
SELECT create_distributed_table('murmuration.batch_id', 'shard', colocate_with => 'murmuration.shard');
SELECT create_distributed_table('murmuration.delta', 'shard', colocate_with => 'murmuration.shard');
SELECT create_distributed_table('murmuration.tally', 'shard', colocate_with => 'murmuration.shard');
SELECT create_distributed_table('murmuration.monthly', 'shard', colocate_with => 'murmuration.shard');
SELECT create_distributed_table('murmuration.metric', 'shard', colocate_with => 'murmuration.shard');
SELECT create_distributed_table('murmuration.total', 'shard', colocate_with => 'murmuration.shard');
SELECT create_distributed_table('murmuration.ones', 'shard', colocate_with => 'murmuration.shard');
SELECT create_distributed_table('murmuration.room', 'shard', colocate_with => 'murmuration.shard');
SELECT create_distributed_table('murmuration.app_ids', 'shard', colocate_with => 'murmuration.shard');
SELECT create_distributed_table('murmuration.estimated', 'shard', colocate_with => 'murmuration.shard');
SELECT create_distributed_table('murmuration.estimate', 'shard', colocate_with => 'murmuration.shard');
