import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { runSandbox } from '../start/sandbox/run-sandbox.ts'

// The file that `wrangler dev` reads variables and secrets from.
const path = join(import.meta.dirname, '../../.dev.vars')
const variables = existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}

const gatewayModule = new URL('./sandbox-worker.ts', import.meta.url)
// The Worker has no model client.
const withoutModel = { AI_BASE_URL: 'none' }
const environment = { ...withoutModel, ...variables, ...process.env }
await runSandbox({
  name: 'worker',
  does: 'Runs the gateway in workerd, the runtime of Cloudflare Workers, and everything it needs, until Ctrl-C.',
  environment,
  gatewayModule,
})
