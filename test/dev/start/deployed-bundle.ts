import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { startEmbeddedPostgres } from '#dev/postgres/start.ts'
import { seedDemoCatalogue } from '#dev/sandbox/demo-catalogue.ts'
import { startTokenIssuer } from '#dev/sandbox/token-issuer.ts'
import { resolveSandboxSettings, selectProviders } from '#dev/start/sandbox-settings.ts'
import { startJobsProcess, startServer, startServers } from '#dev/start/start-child.ts'
import { postgres15Folder } from '#test/support/installed-programs.ts'
import { findFreePort, startPgBouncer } from '#test/support/pgbouncer.ts'
import { copyProject } from './copy-project.ts'

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)
const moduleOf = (specifier: string) => new URL(import.meta.resolve(specifier))

const buildBundle = async (folder: string) => {
  await run(process.execPath, ['dev/tools/write-build.ts'], { cwd: root })
  await run(process.execPath, ['dev/tools/bundle/build-for-node.ts', '--out', folder], { cwd: root })
}

const openDatabases = async (started: AsyncDisposableStack, dataDir: string) => {
  const options = { dataDir, durable: false, binaries: postgres15Folder }
  const server = started.adopt(await startEmbeddedPostgres(options), ({ stop }) => stop())
  const pooler = started.adopt(await startPgBouncer(server.url), ({ stop }) => stop())
  return { direct: server.url, pooled: pooler.url }
}

/** Starts what the service depends on. The sandbox stands in for the core and for external services. */
const openDependencies = async (started: AsyncDisposableStack, stateDir: string) => {
  await mkdir(stateDir)
  const settings = await resolveSandboxSettings({ stateDir, given: {} })
  const issuer = started.adopt(await startTokenIssuer({ stateDir }), ({ close }) => close())
  const selected = Object.entries(selectProviders({}))
  const providers = await startServers('the providers', moduleOf('#dev/sandbox/providers.ts'), {
    ...settings,
    SANDBOX_PROVIDERS: selected.map(([, provider]) => provider).join(),
  })
  started.defer(() => providers.stop())
  const addresses = Object.fromEntries(
    selected.map(([name, provider]) => [name, providers.urls[provider] ?? '']),
  )
  const auth = {
    AUTH_ISSUER: issuer.issuer,
    AUTH_AUDIENCE: issuer.audience,
    AUTH_JWKS_URL: issuer.jwksUrl,
  }
  return { ...settings, ...addresses, ...auth }
}

const sendAddress = (provider: string | undefined, path: string, addresses: object) =>
  fetch(`${provider}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(addresses),
  })

/**
 * Runs the Node bundle in an otherwise empty folder, with PostgreSQL 15 behind PgBouncer, as docs/deployment.md
 * describes. Returns its address and a checkout of the project, whose commands sign tokens. `started` stops everything.
 */
export const deployBundle = async (started: AsyncDisposableStack) => {
  const folder = await copyProject()
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const bundle = await mkdtemp(join(tmpdir(), 'crossfade-deployed-'))
  started.defer(() => rm(bundle, { recursive: true, force: true }))
  // If the tests run as root, PostgreSQL runs as `nobody`, which has to reach its folder inside this one.
  await chmod(bundle, 0o755)
  await buildBundle(join(bundle, 'app'))
  const { direct, pooled } = await openDatabases(started, join(bundle, 'postgres'))
  const dependencies: Readonly<Record<string, string>> = await openDependencies(
    started,
    join(folder, '.data'),
  )

  const url = `http://127.0.0.1:${await findFreePort()}`
  const shared = { ...dependencies, PUBLIC_BASE_URL: url, PORT: new URL(url).port, LOG_LEVEL: 'error' }
  const core = await startServer('the core', moduleOf('#dev/sandbox/core/main.ts'), {
    ...shared,
    DATABASE_URL: direct,
  })
  started.defer(() => core.stop())
  const environment = {
    ...shared,
    DATABASE_URL: pooled,
    DATABASE_DIRECT_URL: direct,
    DATABASE_PREPARE: 'off',
    CORE_BASE_URL: core.url,
  }
  const programOf = (name: string) => pathToFileURL(join(bundle, 'app', `${name}.mjs`))
  const gateway = await startServer('the gateway', programOf('server'), environment)
  started.defer(() => gateway.stop())
  const jobs = await startJobsProcess('the job worker', programOf('jobs'), environment)
  started.defer(() => jobs.stop())

  await seedDemoCatalogue(direct, dependencies.BILLING_STATE_FILE)
  const { BILLING_API_BASE, EMAIL_API_BASE } = dependencies
  await sendAddress(BILLING_API_BASE, '/sandbox/endpoint', { url: `${url}/v1/webhooks/billing` })
  await sendAddress(EMAIL_API_BASE, '/sandbox/endpoint', { url: `${url}/v1/webhooks/email` })
  return { url, folder }
}
