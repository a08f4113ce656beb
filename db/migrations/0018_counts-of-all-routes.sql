-- From now on each instance also counts under the label *, so that the history of all routes reads few rows.
-- One that has started before this migration may have begun.
INSERT INTO route_counts (label, interval_start, instance_id,
  native2xx, native3xx, native4xx, native5xx, core2xx, core3xx, core4xx, core5xx)
SELECT '*', interval_start, instance_id,
  sum(native2xx), sum(native3xx), sum(native4xx), sum(native5xx), sum(core2xx), sum(core3xx), sum(core4xx), sum(core5xx)
FROM route_counts WHERE label <> '*' GROUP BY interval_start, instance_id
ON CONFLICT DO NOTHING;
--> statement-breakpoint
INSERT INTO route_counts_daily (label, day,
  native2xx, native3xx, native4xx, native5xx, core2xx, core3xx, core4xx, core5xx)
SELECT '*', day,
  sum(native2xx), sum(native3xx), sum(native4xx), sum(native5xx), sum(core2xx), sum(core3xx), sum(core4xx), sum(core5xx)
FROM route_counts_daily WHERE label <> '*' GROUP BY day
ON CONFLICT DO NOTHING;
