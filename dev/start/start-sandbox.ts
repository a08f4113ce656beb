import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#db/embedded/start.ts'
import { findFixedUrl } from '#gateway/settings/listeners.ts'
import { seedDemoCatalogue } from '../sandbox/demo-catalogue.ts'
import { startTokenIssuer } from '../sandbox/token-issuer.ts'
import { createAdminRecord } from './admin-record.ts'
import {
  requireValidSettings,
  resolveSandboxSettings,
  type SandboxOptions,
  selectProviders,
} from './sandbox-settings.ts'
import { restartOnExit, startServer, startServers, startWorker } from './start-child.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface RunningSandboxOptions extends SandboxOptions {
  /** The module of the gateway's process; by default that of the gateway on Node. */
  readonly gatewayModule?: URL
}

const nodeGateway = new URL('./sandbox-gateway.ts', import.meta.url)

const moduleOf = (specifier: string) => new URL(import.meta.resolve(specifier))

// Waits for all parts even if one fails: those that start have to be stopped as well.
const waitForAll = async <T extends readonly unknown[]>(starting: { [K in keyof T]: Promise<T[K]> }) => {
  await Promise.allSettled(starting)
  return Promise.all(starting)
}

/** Tells a sandbox provider addresses that are known only after it has started. */
const sendAddresses = async (
  providerUrl: string | undefined,
  path: string,
  addresses: Readonly<Record<string, string | undefined>>,
) => {
  if (providerUrl === undefined) return
  await fetch(providerUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(addresses),
  })
}

/**
 * Runs the gateway and the job worker, each in its own process, with a sandbox substitute for every service that is not
 * configured. `stop` may be called at any time and stops what has been started so far; `remove` then deletes the state
 * directory.
 */
export const createSandbox = ({ stateDir, given, gatewayModule = nodeGateway }: RunningSandboxOptions) => {
  let started = new AsyncDisposableStack()
  const stopping = new AbortController()
  const keep = async <T extends { stop(): Promise<void> }>(starting: Promise<T>) => {
    const ready = await starting
    // Not before the wait: a stop during it replaces the stack.
    return started.adopt(ready, (part) => part.stop())
  }
  const postgresDir = join(stateDir, 'postgres')
  const adminRecord = createAdminRecord(stateDir)
  let ffmpegPath: string | null = null

  const openDatabase = async () =>
    given.DATABASE_URL || (await keep(startEmbeddedPostgres({ dataDir: postgresDir }))).url

  const openIssuer = async () => {
    if (given.AUTH_JWKS_URL) return null
    const starting = startTokenIssuer({ stateDir })
    return keep(starting.then((issuer) => ({ ...issuer, stop: issuer.close })))
  }

  const openProviders = async (settings: Environment): Promise<Environment> => {
    const selected = Object.entries(selectProviders(given))
    if (selected.length === 0) return {}
    const names = selected.map(([, provider]) => provider).join()
    const { urls } = await keep(
      startServers('the sandbox providers process', moduleOf('../sandbox/providers.ts'), {
        ...given,
        ...settings,
        SANDBOX_PROVIDERS: names,
      }),
    )
    return Object.fromEntries(selected.map(([address, provider]) => [address, urls[provider]]))
  }

  const openCore = async (environment: Environment) =>
    given.CORE_BASE_URL ||
    (await keep(startServer('the sandbox core', moduleOf('../sandbox/core/main.ts'), environment))).url

  const openGateway = async (environment: Environment, databaseUrl: string, providers: Environment) => {
    const gateway = await keep(startServer('the gateway', gatewayModule, environment))
    await adminRecord.write('gateway', gateway.adminUrl ?? null)
    await adminRecord.writeService(gateway.url)
    const endpointPath = '/sandbox/endpoint'
    await sendAddresses(providers.BILLING_API_BASE, endpointPath, {
      url: `${gateway.url}/v1/webhooks/billing`,
    })
    await sendAddresses(providers.EMAIL_API_BASE, endpointPath, { url: `${gateway.url}/v1/webhooks/email` })
    await sendAddresses(providers.APP_ORIGIN, '/sandbox/addresses', {
      api: given.PUBLIC_BASE_URL || gateway.url,
      store: environment.STORAGE_ENDPOINT,
    })
    // The gateway has applied all migrations before it is ready.
    if (!given.DATABASE_URL) await seedDemoCatalogue(databaseUrl, environment.BILLING_STATE_FILE)
    return gateway
  }

  const startJobs = async (environment: Environment) => {
    const worker = await startWorker(
      'the job worker',
      new URL('../../bin/jobs.ts', import.meta.url),
      environment,
    )
    await adminRecord.write('jobs', worker.adminUrl)
    ffmpegPath = worker.ffmpegPath
    return worker
  }

  const openJobs = (environment: Environment) =>
    keep(restartOnExit(() => startJobs(environment), stopping.signal))

  const start = async () => {
    await mkdir(stateDir, { recursive: true })
    const settings = await resolveSandboxSettings({ stateDir, given })
    await requireValidSettings(given, settings)
    const [databaseUrl, issuer, providers] = await waitForAll([
      openDatabase(),
      openIssuer(),
      openProviders(settings),
    ])
    const auth = issuer && {
      AUTH_ISSUER: issuer.issuer,
      AUTH_AUDIENCE: issuer.audience,
      AUTH_JWKS_URL: issuer.jwksUrl,
    }
    const baseEnvironment = { ...given, ...settings, ...providers, ...auth, DATABASE_URL: databaseUrl }
    // Not before this process owns the database: another installation may be running in this directory.
    await adminRecord.remove()
    const coreUrl = await openCore(baseEnvironment)
    const environment = { ...baseEnvironment, CORE_BASE_URL: coreUrl }

    const startingGateway = openGateway(environment, databaseUrl, providers)
    const publicUrl = async () => given.PUBLIC_BASE_URL || findFixedUrl(given) || (await startingGateway).url
    const startingJobs = publicUrl().then((url) => openJobs({ ...environment, PUBLIC_BASE_URL: url }))
    const [gateway] = await waitForAll([startingGateway, startingJobs])
    const adminUrls = adminRecord.urls()
    return { gateway, issuer, databaseUrl, coreUrl, providers, environment, adminUrls, ffmpegPath }
  }

  const stop = async () => {
    // Before the first part stops: a signal to the process group has ended the job worker already.
    stopping.abort()
    const parts = started
    // A part that becomes ready during the stop is stopped by the next one.
    started = new AsyncDisposableStack()
    await parts.disposeAsync()
    if (adminRecord.isWritten()) await adminRecord.remove()
  }

  const remove = async () => {
    await removeEmbeddedPostgres(postgresDir)
    await rm(stateDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }

  return { start, stop, remove }
}
