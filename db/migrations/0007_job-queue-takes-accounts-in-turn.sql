-- Start-time fair queueing: an account's job is placed one round after the account's last one, and not before the round
-- that is being served. pg-boss serves by descending priority, so the round is written as its negative. How it is meant:
-- docs/decisions/0015-job-queues-serve-accounts-in-turn.md
CREATE TABLE job_queue_rounds (
  queue text PRIMARY KEY,
  round integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE job_queue_accounts (
  queue text NOT NULL,
  account_id text NOT NULL,
  last_round integer NOT NULL,
  PRIMARY KEY (queue, account_id)
);
--> statement-breakpoint
-- The account for which a job works: the owner of its track. Jobs of nobody share a place.
CREATE FUNCTION account_of_job(queue text, data jsonb) RETURNS text AS $$
  SELECT coalesce((
    SELECT owner_id FROM tracks WHERE id = CASE queue
      WHEN 'process-version' THEN (SELECT track_id FROM ingestion_runs WHERE id = data->>'runId')
      WHEN 'check-asset' THEN (SELECT track_id FROM media_assets WHERE id = data->>'assetId')
      WHEN 'dispatch-analysis' THEN (SELECT track_id FROM media_dispatches WHERE id = data->>'dispatchId')
      WHEN 'import-stems' THEN (SELECT track_id FROM media_dispatches WHERE id = data->>'dispatchId')
    END), '')
$$ LANGUAGE sql STABLE;
--> statement-breakpoint
-- The lock on the account's row lets its jobs be placed one after another, whatever instance inserts them.
CREATE FUNCTION next_job_priority(queue_name text, account text) RETURNS integer AS $$
  INSERT INTO job_queue_accounts AS accounts (queue, account_id, last_round)
  VALUES (queue_name, account, coalesce((SELECT round FROM job_queue_rounds WHERE queue = queue_name), 0))
  ON CONFLICT (queue, account_id) DO UPDATE SET last_round = greatest(accounts.last_round + 1, EXCLUDED.last_round)
  RETURNING -last_round
$$ LANGUAGE sql VOLATILE;
--> statement-breakpoint
-- A job that is to be tried again later waits behind all others until it is due, and is then placed as a new one is.
CREATE FUNCTION place_job() RETURNS trigger AS $$
BEGIN
  NEW.group_id := coalesce(NEW.group_id, account_of_job(NEW.name, NEW.data));
  NEW.priority := CASE NEW.state
    WHEN 'created' THEN next_job_priority(NEW.name, NEW.group_id)
    ELSE -2147483647
  END;
  RETURN NEW;
END;
$$ LANGUAGE plpgsql;
--> statement-breakpoint
CREATE TRIGGER job_is_placed BEFORE INSERT ON pgboss.job
FOR EACH ROW WHEN (NEW.name <> 'lost-jobs' AND NEW.state IN ('created', 'retry')) EXECUTE FUNCTION place_job();
--> statement-breakpoint
CREATE FUNCTION note_served_round() RETURNS trigger AS $$
BEGIN
  INSERT INTO job_queue_rounds AS rounds (queue, round) VALUES (NEW.name, -NEW.priority)
  ON CONFLICT (queue) DO UPDATE SET round = EXCLUDED.round WHERE rounds.round < EXCLUDED.round;
  RETURN NULL;
END;
$$ LANGUAGE plpgsql;
--> statement-breakpoint
CREATE TRIGGER job_is_served AFTER UPDATE OF state ON pgboss.job
FOR EACH ROW WHEN (NEW.name <> 'lost-jobs' AND OLD.state < 'active' AND NEW.state = 'active' AND NEW.priority BETWEEN -2147483646 AND 0)
EXECUTE FUNCTION note_served_round();
--> statement-breakpoint
-- One instance at a time: the accounts' rows are locked in no particular order.
CREATE FUNCTION place_due_retries() RETURNS void AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('place_due_retries')) THEN RETURN; END IF;
  UPDATE pgboss.job SET priority = next_job_priority(job.name, job.group_id)
  FROM (
    SELECT name, id FROM pgboss.job
    WHERE name IN (SELECT name FROM pgboss.queue) AND state < 'active' AND NOT blocked
      AND priority = -2147483647 AND start_after <= now()
    FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE job.name = due.name AND job.id = due.id;
END;
$$ LANGUAGE plpgsql;
