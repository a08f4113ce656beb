import { resolve } from 'node:path'
import { runExitCodes } from '#migration/parity/report/summary.ts'
import {
  createFreshAccountSource,
  createTokenAccountSource,
  readAccountTokens,
  tokenVariable,
} from '#migration/parity/run/accounts.ts'
import { compareDeployments } from '#migration/parity/run/compare-deployments.ts'
import { detectSharedState, requireReachable } from '#migration/parity/run/probe.ts'
import { publishRemainders, publishReport } from '#migration/parity/run/publish-report.ts'
import { createSession } from '#migration/parity/run/session.ts'
import type { ComparedSide } from '#migration/parity/run/side.ts'
import { scenarios } from '#test/scenarios/index.ts'
import { createProgress } from '../progress.ts'
import { readIssuerKey } from '../sandbox/issuer-key.ts'
import { createTokenMinter } from '../sandbox/mint-token.ts'
import { followScenarios, requireTwoSidedRoutes } from './comparison.ts'
import { readParityFlagsOrExit, reportComparisonError } from './comparison-flags.ts'

/** `count` is the number of given accounts; 0 if the run uses new accounts. */
const describeAccounts = (count: number) =>
  count === 0
    ? 'new accounts, with tokens signed by the sandbox key'
    : `the accounts of ${Array.from({ length: count }, (_, index) => tokenVariable(index)).join(', ')}`

const flags = readParityFlagsOrExit()
const progress = createProgress(process.stderr)
const session = createSession({ permissions: flags.permissions, removes: true })
const { runId, permissions } = session

const announceWrites = (accounts: number) => [
  'This command writes to two deployments:',
  `  native    ${flags.native}`,
  `  core      ${flags.core}`,
  `  accounts  ${describeAccounts(accounts)}`,
  `Run ${runId} creates tracks, libraries, packs, links, lyrics, split sheets and invitations to libraries.`,
  `The names of its tracks, libraries and packs contain "${runId}". It removes them after each scenario.`,
  permissions.billing
    ? 'It CHANGES SUBSCRIPTIONS and creates checkout sessions at the billing provider (--billing).'
    : 'It changes no subscription and creates no checkout session, so it skips scenarios that need these.',
  permissions.irreversible
    ? 'It uploads files, starts analyses, creates short links at the link provider, records visits and exhausts rate limits (--irreversible).'
    : 'It does not compare what no route can undo: uploads, analyses, links to tracks with their short links, recorded visits and rate limits.',
]

const openAccounts = async (tokens: readonly string[]) => {
  if (tokens.length > 0) return createTokenAccountSource(tokens)
  const key = await readIssuerKey(resolve(flags.stateDir)).catch((error: Error) => {
    throw new Error(`${tokenVariable(0)} is not set and no token can be signed: ${error.message}`)
  })
  return createFreshAccountSource(createTokenMinter(key))
}

const compare = async () => {
  const routes = requireTwoSidedRoutes(flags.area)
  const tokens = readAccountTokens(process.env)
  const accounts = await openAccounts(tokens)
  process.stdout.write(`${announceWrites(tokens.length).join('\n')}\n`)
  if (!flags.isConfirmed) throw new Error('nothing was sent: add --yes to run the comparison')
  const native: ComparedSide = { name: 'native', origin: flags.native }
  const core: ComparedSide = { name: 'core', origin: flags.core, ignoresRuntimeHeader: true }
  await requireReachable(native, core)
  const sides = { native, core, accounts, session }
  const { hasSharedState, warnings } = await detectSharedState(sides)
  return followScenarios(progress, (countScenarios) =>
    compareDeployments({
      deployments: { ...sides, hasSharedState },
      warnings,
      scenarios,
      routes,
      createProgress: countScenarios,
    }),
  )
}

const run = async () => {
  const report = await compare()
  const exitCode = session.isStopped
    ? reportComparisonError('parity', 'interrupted')
    : await publishReport(report, flags.out)
  return exitCode === runExitCodes.pass && session.journal.unremoved.length > 0
    ? runExitCodes.not_removed
    : exitCode
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (session.isStopped) {
      process.stderr.write(`parity: interrupted again; what remains has "${runId}" in its name\n`)
      process.exit(runExitCodes.could_not_compare)
    }
    progress.end()
    process.stderr.write('parity: interrupted, removing what was created\n')
    session.stop()
  })

process.exitCode = await run().catch((error: unknown) => reportComparisonError('parity', error))
if (session.journal.hasEntries) await publishRemainders(session.journal, flags.out)
