import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshAccounts } from '#migration/contract-run/accounts.ts'
import { compareDeployments } from '#migration/contract-run/compare-deployments.ts'
import { createProgress, publish } from '#migration/contract-run/publish.ts'
import { scenarios } from '#migration/scenarios/index.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { comparedRoutes } from './compared-routes.ts'
import { comparisonFailedExitCode, contractFlags } from './comparison-flags.ts'
import type { ServerProcess } from './start-child.ts'
import { startCoreSide } from './start-core-side.ts'
import { createSandbox } from './start-sandbox.ts'

const { area, out } = contractFlags()

// Everything is made for this run and gone after it: an installation that stands beside it is none of its business.
const stateDir = await mkdtemp(join(tmpdir(), 'crossfade-contract-'))
const given = {
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'fatal',
  // Low enough to be reached within a scenario, high enough for all others.
  RATE_LIMIT_PUBLIC_READS: '40/60',
  RATE_LIMIT_SHARE_EVENTS: '20/60',
}
const graceMs = 5000
const sandbox = createSandbox({ stateDir, given })
let core: ServerProcess | undefined

const stopAll = async () => {
  await core?.stop()
  await sandbox.stop()
}

let ended = false
const run = async () => {
  const routes = comparedRoutes(area)
  if (routes.size === 0) throw new Error(`no route that both sides serve is in the area ${area}`)
  const { gateway, issuer, environment } = await sandbox.start()
  if (issuer === null) throw new Error('there is no issuer of tokens')
  core = await startCoreSide(environment)
  if (ended) throw new Error('interrupted while it started')
  const report = await compareDeployments({
    deployments: {
      native: { name: 'native', origin: gateway.url },
      core: { name: 'core', origin: core.url },
      accounts: freshAccounts(issuer.mintToken),
      shareState: true,
    },
    scenarios,
    routes,
    createProgress,
  })
  return publish(report, out)
}

const interruption = Promise.withResolvers<number>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interruption.resolve(comparisonFailedExitCode('contract', 'interrupted')))

const running = run().catch((error: unknown) => (ended ? 0 : comparisonFailedExitCode('contract', error)))
const code = await Promise.race([running, interruption.promise])
ended = true
await stopAll()
// What was just being started when the run was interrupted is there by now, or never will be.
await withTimeout(graceMs, running.then(stopAll), () => undefined)
await sandbox.remove()
process.exit(code)
