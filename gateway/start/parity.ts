import { resolve } from 'node:path'
import { createFreshAccountSource, createTokenAccountSource } from '#migration/contract-run/accounts.ts'
import { compareDeployments } from '#migration/contract-run/compare-deployments.ts'
import { detectSharedState, requireReachable } from '#migration/contract-run/probe.ts'
import { createProgress, publishReport } from '#migration/contract-run/publish-report.ts'
import type { AccountSource } from '#migration/contract-run/scenario-context.ts'
import type { Side } from '#migration/contract-run/side.ts'
import { scenarios } from '#migration/scenarios/index.ts'
import { readIssuerKey } from '#sandbox/issuer-key.ts'
import { createTokenMinter } from '#sandbox/mint-token.ts'
import { listComparedRoutes } from './compared-routes.ts'
import { readParityFlagsOrExit, reportComparisonError } from './comparison-flags.ts'

/** The accounts of the given tokens; without tokens, new accounts whose tokens are signed with the local sandbox key. */
const createAccountSource = async (tokens: readonly string[], stateDir: string): Promise<AccountSource> => {
  if (tokens.length > 0) return createTokenAccountSource(tokens)
  const key = await readIssuerKey(stateDir).catch((error: Error) => {
    throw new Error(`--token is missing and no token can be signed: ${error.message}`)
  })
  return createFreshAccountSource(createTokenMinter(key))
}

const run = async () => {
  const flags = readParityFlagsOrExit()
  const routes = listComparedRoutes(flags.area)
  if (routes.size === 0)
    throw new Error(`no route in area ${flags.area} is served by both sides: npm run routes lists the labels`)
  const native: Side = { name: 'native', origin: flags.native }
  const core: Side = { name: 'core', origin: flags.core, ignoresRuntimeHeader: true }
  await requireReachable(native, core)
  const accounts = await createAccountSource(flags.tokens, resolve(flags.stateDir))
  const report = await compareDeployments({
    deployments: { native, core, accounts, hasSharedState: await detectSharedState(native, core, accounts) },
    scenarios,
    routes,
    createProgress,
  })
  return publishReport(report, flags.out)
}

process.exitCode = await run().catch((error: unknown) => reportComparisonError('parity', error))
