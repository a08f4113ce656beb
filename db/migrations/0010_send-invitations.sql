-- Attempts spread over about three and a half hours, so that an outage of the e-mail provider fails no invitation. They
-- end long before the provider forgets the idempotency key, after 24 hours.
SELECT pgboss.create_queue('send-invitation', '{"policy": "standard", "deadLetter": "lost-jobs", "heartbeatSeconds": 10,
  "retryLimit": 12, "retryDelay": 5, "retryBackoff": true, "retryDelayMax": 3600, "expireInSeconds": 300}');
--> statement-breakpoint
-- The account for which a job works: the owner of its track or pack. Jobs without an owner share a place.
CREATE OR REPLACE FUNCTION account_of_job(queue text, data jsonb) RETURNS text AS $$
  SELECT coalesce(CASE queue
    WHEN 'send-invitation' THEN (
      SELECT owner_id FROM packs WHERE id = (SELECT pack_id FROM pack_invitations WHERE id = data->>'invitationId'))
    ELSE (
      SELECT owner_id FROM tracks WHERE id = CASE queue
        WHEN 'process-version' THEN (SELECT track_id FROM ingestion_runs WHERE id = data->>'runId')
        WHEN 'check-asset' THEN (SELECT track_id FROM media_assets WHERE id = data->>'assetId')
        WHEN 'dispatch-analysis' THEN (SELECT track_id FROM media_dispatches WHERE id = data->>'dispatchId')
        WHEN 'import-stems' THEN (SELECT track_id FROM media_dispatches WHERE id = data->>'dispatchId')
      END)
    END, '')
$$ LANGUAGE sql STABLE;
