-- Sends PATCH requests with the body PATCH, if there is one.
local patch = os.getenv('PATCH')
if patch and patch ~= '' then
  wrk.method = 'PATCH'
  wrk.body = patch
end

-- Sends requests from VISITORS client addresses, one after the other.
local visitors = tonumber(os.getenv('VISITORS')) or 0
local sent = 0

if visitors > 0 then
  request = function()
    sent = sent + 1
    local visitor = sent % visitors
    wrk.headers['X-Forwarded-For'] = '10.0.' .. math.floor(visitor / 250) .. '.' .. visitor % 250
    return wrk.format(nil, nil)
  end
end

-- Prints the figures of a run as one line of JSON.
done = function(summary, latency)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.timeout + e.status
  io.write(string.format('{"requests":%d,"errors":%d,"p50Ms":%.3f,"p99Ms":%.3f}\n',
    summary.requests - e.status, failed, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
