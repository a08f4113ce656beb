import '../scripts/check-node.mjs'
import { setFlagsFromString } from 'node:v8'
import { loadCompactly } from './process/load-compactly.ts'

const { runServer, readSettings } = await loadCompactly(async () => ({
  ...(await import('./process/run-server.ts')),
  ...(await import('#gateway/settings/settings.ts')),
}))
// By default, V8 lowers the heap's limit while the process is idle, so the next burst of requests begins with a full
// garbage collection. On a single CPU core, the collector's threads stall the event loop
// (dev/bench/results/latency.md).
setFlagsFromString('--heap-growing-percent=300')
await runServer(readSettings)
