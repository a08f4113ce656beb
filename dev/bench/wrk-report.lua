-- Prints the figures of a run as one line of JSON.
done = function(summary, latency)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.timeout + e.status
  io.write(string.format('{"requests":%d,"errors":%d,"p50Ms":%.3f,"p99Ms":%.3f}\n',
    summary.requests - e.status, failed, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
