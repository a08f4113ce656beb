-- Wakes the job workers when the transaction commits. The payload is the name of the queue and the seconds until the job
-- is due, which a worker adds to its own clock. Workers poll as well: docs/decisions/0048-one-poll-per-job-worker.md
CREATE FUNCTION notify_job_queue() RETURNS trigger AS $$
BEGIN
  PERFORM pg_notify('crossfade_jobs',
    NEW.name || ' ' || greatest(0, ceil(extract(epoch FROM NEW.start_after - now())))::bigint);
  RETURN NULL;
END;
$$ LANGUAGE plpgsql;
--> statement-breakpoint
CREATE TRIGGER job_is_notified AFTER INSERT ON pgboss.job
FOR EACH ROW WHEN (NEW.state IN ('created', 'retry')) EXECUTE FUNCTION notify_job_queue();
