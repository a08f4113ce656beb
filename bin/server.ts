import '../scripts/check-node.mjs'
import { loadCompactly } from './process/load-compactly.ts'

const { runServer, readSettings } = await loadCompactly(async () => ({
  ...(await import('./process/run-server.ts')),
  ...(await import('#gateway/settings/settings.ts')),
}))
await runServer(readSettings)
