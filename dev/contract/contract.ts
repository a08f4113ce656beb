import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import { settingTypes } from '#gateway/settings/settings.ts'
import { findFfmpeg } from '#jobs/analysis/find-ffmpeg.ts'
import { identifyBuild } from '#migration/evidence-keys/evidence-key.ts'
import { openSourceTree } from '#migration/evidence-keys/source-tree.ts'
import { runExitCodes } from '#migration/parity/report/summary.ts'
import { createFreshAccountSource } from '#migration/parity/run/accounts.ts'
import { compareDeployments } from '#migration/parity/run/compare-deployments.ts'
import type { ReadProviders } from '#migration/parity/run/provider-records.ts'
import { publishReport } from '#migration/parity/run/publish-report.ts'
import { createSandboxSession } from '#migration/parity/run/session.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { scenarios as commonScenarios } from '#test/scenarios/index.ts'
import { limitScenarios, limitSettings } from '#test/scenarios/limits.ts'
import { createProgress } from '../progress.ts'
import { connect, type Database } from '../sandbox/core/database.ts'
import { type ServerProcess, startServer } from '../start/start-child.ts'
import { createSandbox } from '../start/start-sandbox.ts'
import { followScenarios, listRoutes, requireTwoSidedRoutes } from './comparison.ts'
import { readContractFlagsOrExit, reportComparisonError } from './comparison-flags.ts'
import { runMutants } from './mutants/run-mutants.ts'
import { runGit } from './mutants/sources.ts'
import { PostError, preparePost } from './post-contract-report.ts'

type Environment = Readonly<Record<string, string | undefined>>

const startCoreSide = (environment: Environment) =>
  startServer('the gateway in front of the core', new URL('../start/sandbox-gateway.ts', import.meta.url), {
    ...environment,
    GATEWAY_ROUTES: '*=proxy',
  })

/**
 * Reads the commit of the sources, with `-dirty` if files have changed since; null without git or outside a repository.
 */
const readCommit = async (): Promise<string | null> => {
  try {
    const [commit, changes] = await Promise.all([
      runGit('rev-parse', 'HEAD'),
      runGit('status', '--porcelain', '--untracked-files=no'),
    ])
    return changes === '' ? commit : `${commit}-dirty`
  } catch {
    return null
  }
}

const Emails = z.object({
  records: z.array(z.object({ from: z.string(), to: z.string(), subject: z.string(), text: z.string() })),
})

const readJson = async (url: string): Promise<unknown> => (await fetch(url)).json()

// Native numbers its checkouts, so that a retry opens the same one. The core does not, so the numbers are left out.
const withoutOrdinals = (records: unknown): unknown =>
  JSON.parse(JSON.stringify(records, (name, value) => (name === 'checkout_ordinal' ? undefined : value)))

const createProviderReader =
  (environment: Environment): ReadProviders =>
  async (nonce) => {
    const { EMAIL_API_BASE: email, BILLING_API_BASE: billing } = environment
    const { records } = Emails.parse(await readJson(`${email}/emails`))
    return {
      emails: records.filter((record) => JSON.stringify(record).includes(nonce)),
      customers: withoutOrdinals(await readJson(`${billing}/sandbox/records?about=${nonce}`)),
    }
  }

const scenarios = [...commonScenarios, ...limitScenarios]

const findNotCompared = (routes: ReadonlyMap<Label, unknown>): ReadonlyMap<Label, string> => {
  const needing = scenarios.filter(({ label, needsFfmpeg }) => needsFfmpeg && routes.has(label))
  if (needing.length === 0 || findFfmpeg(process.env.FFMPEG_PATH || undefined)) return new Map()
  return new Map(needing.map(({ label }) => [label, 'ffmpeg or prlimit was not found']))
}

const { area, out, isPosted, mutants } = readContractFlagsOrExit()

// A setting of the shell that starts the run may name a real service, or a database that the run would then migrate.
const unsetSettings = Object.fromEntries(
  Object.keys(settingTypes)
    .filter((name) => name !== 'FFMPEG_PATH')
    .flatMap((name) => [name, `${name}_FILE`])
    .map((name) => [name, '']),
)

// The run has its own state directory and removes it at the end, so it never touches an existing installation.
const stateDir = await mkdtemp(join(tmpdir(), 'crossfade-contract-'))
const overrides = {
  ...unsetSettings,
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'fatal',
  // Also runs the native handlers of routes that the core serves in production.
  GATEWAY_ROUTES: '*=native',
  ...limitSettings,
}
const stopTimeoutMs = 5000
const progress = createProgress(process.stderr)
const sandbox = createSandbox({ stateDir, given: overrides, follow: progress.follow })
let core: ServerProcess | undefined
let database: Database | undefined

const stopAll = async () => {
  await database?.end()
  await core?.stop()
  await sandbox.stop()
}

let isEnding = false
const reportError = (error: unknown) => {
  const exitCode = reportComparisonError('contract', error)
  return error instanceof PostError ? runExitCodes.not_posted : exitCode
}

const printPosted = (lines: readonly string[]) => {
  process.stdout.write(`${lines.join('\n')}\n`)
  return runExitCodes.pass
}

const run = async () => {
  const routes = requireTwoSidedRoutes(area)
  // If the results cannot be posted, fail now, before the sandbox starts, instead of minutes later.
  const post = isPosted ? await preparePost(process.env) : null
  const notCompared = findNotCompared(routes)
  if (notCompared.size > 0)
    progress.print(
      `ffmpeg or prlimit was not found. Not compared without them: ${[...notCompared.keys()].join(', ')}. Install ffmpeg and util-linux to compare all routes.`,
    )
  const { keys } = identifyBuild(openSourceTree())
  const commit = await readCommit()
  const { gateway, issuer, environment } = await sandbox.start()
  if (issuer === null) throw new Error('the sandbox has no token issuer')
  const coreSide = await progress.follow('Gateway in front of core', startCoreSide(environment))
  core = coreSide
  if (isEnding) throw new Error('interrupted during startup')
  const rows = connect({ DATABASE_URL: environment.DATABASE_URL ?? '' })
  database = rows
  const deployments = {
    core: { name: 'core', origin: coreSide.url },
    accounts: createFreshAccountSource(issuer.mintToken),
    session: createSandboxSession(),
    hasSharedState: true,
    changeRows: async (statement: string, values: readonly string[]) => {
      await rows.unsafe(statement, [...values])
    },
    readProviders: createProviderReader(environment),
  } as const
  if (mutants !== null)
    return runMutants({
      ...mutants,
      environment,
      deployments,
      scenarios,
      labels: new Set(routes.keys()),
      workDir: stateDir,
    })
  const report = await followScenarios(progress, (countScenarios) =>
    compareDeployments({
      deployments: { ...deployments, native: { name: 'native', origin: gateway.url } },
      scenarios,
      routes,
      evidenceKeys: keys,
      commit,
      expectedSuccesses: listRoutes(area),
      notCompared,
      createProgress: countScenarios,
    }),
  )
  const exitCode = await publishReport(report, out)
  if (post === null) return exitCode
  const postCode = await post(report).then(printPosted, reportError)
  return exitCode === runExitCodes.pass ? postCode : exitCode
}

const interruption = Promise.withResolvers<number>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interruption.resolve(reportComparisonError('contract', 'interrupted')))

const running = run().catch((error: unknown) => (isEnding ? 0 : reportError(error)))
const exitCode = await Promise.race([running, interruption.promise])
isEnding = true
progress.end()
await stopAll()
// An interrupted run may still be starting processes. Wait until it has ended, but not longer than the timeout, and
// then stop those processes too.
await withTimeout(stopTimeoutMs, running.then(stopAll), () => undefined)
await sandbox.remove()
process.exit(exitCode)
