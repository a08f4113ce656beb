import '../scripts/check-node.mjs'
import { runServer } from './process/run-server.ts'
import { readSettings } from './settings/settings.ts'

await runServer(readSettings)
