-- Attempts spread over about three and a half hours: a receiver that is down for a while misses nothing.
SELECT pgboss.create_queue('notify-operators', '{"policy": "standard", "deadLetter": "lost-jobs", "heartbeatSeconds": 10,
  "retryLimit": 12, "retryDelay": 1, "retryBackoff": true, "retryDelayMax": 3600, "expireInSeconds": 60}');
