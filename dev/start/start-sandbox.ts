import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findInstalledBinaries } from '#dev/postgres/binaries.ts'
import type { EmbeddedServer } from '#dev/postgres/server.ts'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#dev/postgres/start.ts'
import { findFixedUrl } from '#gateway/settings/listeners.ts'
import { waitForAll } from '#shared/wait-for-all.ts'
import { seedDemoCatalogue } from '../sandbox/demo-catalogue.ts'
import { operatorSignInSettings } from '../sandbox/operator-sign-in.ts'
import { startTokenIssuer, type TokenIssuer } from '../sandbox/token-issuer.ts'
import { createAdminRecord } from './admin-record.ts'
import { openPorts, recordListeners, requireFreePorts, type SandboxPorts, selectListeners } from './ports.ts'
import {
  requireValidSettings,
  resolveSandboxSettings,
  type SandboxOptions,
  selectProviders,
} from './sandbox-settings.ts'
import {
  type LaunchedProcess,
  type ReadOutput,
  restartOnExit,
  startJobsProcess,
  startServer,
  startServers,
} from './start-child.ts'
import { acquireStartLock } from './start-lock.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface SandboxReporter {
  readonly follow?: <T>(part: string, starting: Promise<T>) => Promise<T>
  readonly readOutputOf?: (program: string) => ReadOutput
}

interface RunningSandboxOptions extends SandboxOptions, SandboxReporter {
  readonly gatewayModule?: URL
}

interface GatewaySurroundings {
  readonly databaseUrl: string
  readonly providers: Environment
  /** Null if `AUTH_JWKS_URL` names a different issuer. */
  readonly issuer: TokenIssuer | null
}

const nodeGateway = new URL('./sandbox-gateway.ts', import.meta.url)

const moduleOf = (specifier: string) => new URL(import.meta.resolve(specifier))

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
 * Runs the gateway and the job worker, each in its own process, with a substitute for every service that is not
 * configured. `stop` may be called at any time and stops what has started so far; `remove` then deletes the state
 * directory.
 */
export const createSandbox = ({
  stateDir,
  given,
  gatewayModule = nodeGateway,
  follow = (_, starting) => starting,
  readOutputOf,
}: RunningSandboxOptions) => {
  let started = new AsyncDisposableStack()
  const stopping = new AbortController()
  const keep = async <T extends { stop(): Promise<void> }>(starting: Promise<T>) => {
    const ready = await starting
    // Reads `started` only after the wait, because a stop during the wait replaces it.
    return started.adopt(ready, (part) => part.stop())
  }
  const keepRunning = async (name: string, restartedName: string, start: () => Promise<LaunchedProcess>) => {
    let shownName = name
    const startShown = async () => {
      const part = await follow(shownName, start())
      shownName = restartedName
      return part
    }
    await keep(restartOnExit(startShown, stopping.signal))
  }
  const postgresDir = join(stateDir, 'postgres')
  const adminRecord = createAdminRecord(stateDir)
  let ffmpegPath: string | null = null
  // Providers forget these addresses when they restart. Until the gateway is ready, there is nothing to send.
  let sendServiceAddresses: () => Promise<void> = async () => undefined

  const openDatabase = async (ports: SandboxPorts) => {
    if (given.DATABASE_URL) return given.DATABASE_URL
    let port = await ports.select('database')
    let server: EmbeddedServer | undefined
    await keepRunning('PostgreSQL', 'PostgreSQL, restarted', async () => {
      // Releases the folder's lock, which is still held although the server has exited.
      await server?.stop()
      server = await startEmbeddedPostgres({ dataDir: postgresDir, ...(port > 0 && { port }) })
      // All other parts expect a restarted database at the same address.
      port = Number(new URL(server.url).port)
      return server
    })
    const url = server?.url ?? ''
    ports.record('database', url)
    return url
  }

  const openIssuer = async (ports: SandboxPorts) => {
    if (given.AUTH_JWKS_URL) return null
    const starting = startTokenIssuer({ stateDir, port: await ports.select('token issuer') })
    const issuer = await keep(
      follow('Token issuer', starting).then((ready) => ({ ...ready, stop: ready.close })),
    )
    ports.record('token issuer', issuer.jwksUrl)
    return issuer
  }

  const openProviders = async (settings: Environment, ports: SandboxPorts): Promise<Environment> => {
    const selected = Object.entries(selectProviders(given))
    if (selected.length === 0) return {}
    let providerPorts: (readonly [provider: string, port: string])[] = await Promise.all(
      selected.map(async ([, provider]) => [provider, String(await ports.select(provider))] as const),
    )
    let urls: Readonly<Record<string, string>> = {}
    await keepRunning('Object store and providers', 'Providers, restarted', async () => {
      const servers = await startServers(
        'the process of the sandbox providers',
        moduleOf('../sandbox/providers.ts'),
        { ...given, ...settings, SANDBOX_PROVIDERS: providerPorts.map((entry) => entry.join(':')).join() },
        readOutputOf?.('providers'),
      )
      urls = servers.urls
      // All other parts expect restarted providers at the same addresses.
      providerPorts = Object.entries(urls).map(([provider, url]) => [provider, new URL(url).port])
      await sendServiceAddresses().catch(async (error: unknown) => {
        await servers.stop()
        throw error
      })
      return servers
    })
    for (const [provider, url] of Object.entries(urls)) ports.record(provider, url)
    return Object.fromEntries(selected.map(([address, provider]) => [address, urls[provider]]))
  }

  const openCore = async (environment: Environment, ports: SandboxPorts) => {
    if (given.CORE_BASE_URL) return given.CORE_BASE_URL
    let port = given.CORE_PORT || String(await ports.select('core'))
    await keepRunning('Core', 'Core, restarted', async () => {
      const core = await startServer(
        'the sandbox core',
        moduleOf('../sandbox/core/main.ts'),
        { ...environment, CORE_PORT: port },
        readOutputOf?.('core'),
      )
      // The gateway expects a restarted core at the same address.
      port = new URL(core.url).port
      return core
    })
    const url = `http://127.0.0.1:${port}`
    if (!given.CORE_PORT) ports.record('core', url)
    return url
  }

  const openGateway = async (
    environment: Environment,
    { databaseUrl, providers, issuer }: GatewaySurroundings,
  ) => {
    const starting = startServer(
      'the gateway',
      gatewayModule,
      { ...environment, SANDBOX_TOKEN_URL: issuer?.tokenUrl },
      readOutputOf?.('gateway'),
    )
    const gateway = await keep(follow('Gateway', starting))
    await adminRecord.write('gateway', gateway.adminUrl ?? null)
    await adminRecord.writeService(gateway.url)
    sendServiceAddresses = async () => {
      const endpointPath = '/sandbox/endpoint'
      await sendAddresses(providers.BILLING_API_BASE, endpointPath, {
        url: `${gateway.url}/v1/webhooks/billing`,
      })
      await sendAddresses(providers.EMAIL_API_BASE, endpointPath, { url: `${gateway.url}/v1/webhooks/email` })
      await sendAddresses(providers.APP_ORIGIN, '/sandbox/addresses', {
        api: given.PUBLIC_BASE_URL || gateway.url,
        store: environment.STORAGE_ENDPOINT,
      })
    }
    await sendServiceAddresses()
    // The gateway has applied all migrations by the time it is ready.
    if (!given.DATABASE_URL) await seedDemoCatalogue(databaseUrl, environment.BILLING_STATE_FILE)
    return gateway
  }

  const openJobs = (environment: Environment) =>
    keepRunning('Jobs', 'Jobs, restarted', async () => {
      const module = new URL('../../bin/jobs.ts', import.meta.url)
      const worker = await startJobsProcess('the job worker', module, environment, readOutputOf?.('jobs'))
      await adminRecord.write('jobs', worker.adminUrl)
      ffmpegPath = worker.ffmpegPath
      return worker
    })

  // Throws if anything would prevent the start, before any part is started.
  const prepare = async () => {
    started.defer(await acquireStartLock(stateDir))
    const settings = await resolveSandboxSettings({ stateDir, given })
    await requireValidSettings(given, settings)
    await requireFreePorts(given)
    if (!given.DATABASE_URL) await findInstalledBinaries()
    const ports = await openPorts(stateDir)
    await adminRecord.remove()
    return { settings: { ...settings, ...(await selectListeners(given, ports)) }, ports }
  }

  const start = async () => {
    const { settings, ports } = await prepare()
    // Waits for all parts even if one fails, because those that have started have to be stopped.
    const [databaseUrl, issuer, providers] = await waitForAll([
      openDatabase(ports),
      openIssuer(ports),
      openProviders(settings, ports),
    ])
    const auth = issuer && {
      AUTH_ISSUER: issuer.issuer,
      AUTH_AUDIENCE: issuer.audience,
      AUTH_JWKS_URL: issuer.jwksUrl,
      ...(given.OIDC_ISSUER ? {} : { ...operatorSignInSettings, OIDC_ISSUER: issuer.operatorIssuer }),
    }
    const baseEnvironment = { ...given, ...settings, ...providers, ...auth, DATABASE_URL: databaseUrl }
    const coreUrl = await openCore(baseEnvironment, ports)
    const environment = { ...baseEnvironment, CORE_BASE_URL: coreUrl }

    const startingGateway = openGateway(environment, { databaseUrl, providers, issuer })
    const publicUrl = async () =>
      given.PUBLIC_BASE_URL || findFixedUrl(environment) || (await startingGateway).url
    const startingJobs = publicUrl().then((url) => openJobs({ ...environment, PUBLIC_BASE_URL: url }))
    const [gateway] = await waitForAll([startingGateway, startingJobs])
    const adminUrls = adminRecord.urls()
    recordListeners(given, ports, { ...adminUrls, service: gateway.url })
    const replacedPorts = await ports.save()
    return {
      gateway,
      issuer,
      databaseUrl,
      coreUrl,
      providers,
      environment,
      adminUrls,
      ffmpegPath,
      replacedPorts,
    }
  }

  const stop = async () => {
    // Aborted before the first part stops, so that no part is restarted when it exits.
    stopping.abort()
    const parts = started
    // Parts that become ready during this stop are added here, and the next stop ends them.
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
