import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '#db/embedded/start.ts'
import { migrateDatabase } from '#db/migrate.ts'
import { seedDemoCatalogue } from '#sandbox/demo-catalogue.ts'
import { demoPlans } from '#sandbox/demo-plans.ts'
import { sandboxStorage } from '#sandbox/object-storage/sandbox-storage.ts'
import { startTokenIssuer } from '#sandbox/token-issuer.ts'
import { bannerOf } from './banner.ts'
import { keepRunning } from './keep-running.ts'
import { withPlansOfFile } from './plans-of-file.ts'
import { startChild, startServer } from './start-child.ts'

/** Everything that runs on behalf of `npm start`, in the order of its start; it is stopped the other way round. */
type Stoppable = { stop(): Promise<void> }
const running: Stoppable[] = []
const stateDir = join(import.meta.dirname, '..', '.data')
const given = process.env

const say = (line: string) => process.stdout.write(`${line}\n`)

const withoutPassword = (databaseUrl: string) => {
  const url = new URL(databaseUrl)
  url.password = ''
  return url.href
}

const keptSecret = async (name: string) => {
  const file = join(stateDir, name)
  try {
    return await readFile(file, 'utf8')
  } catch {
    const secret = randomBytes(32).toString('base64url')
    await writeFile(file, secret, { mode: 0o600, flag: 'wx' })
    return secret
  }
}

const openDatabaseServer = async () => {
  if (given.DATABASE_URL) return given.DATABASE_URL
  const server = await startEmbeddedPostgres({ dataDir: join(stateDir, 'postgres') })
  running.push(server)
  return server.url
}

const openIssuer = async () => {
  if (given.AUTH_JWKS_URL) return null
  const issuer = await startTokenIssuer({ stateDir })
  running.push({ stop: () => issuer.close() })
  return issuer
}

const openCore = async (environment: Readonly<Record<string, string>>) => {
  if (given.CORE_BASE_URL) return given.CORE_BASE_URL
  const core = await startServer(
    'the sandbox core',
    new URL(import.meta.resolve('#sandbox/core/main.ts')),
    environment,
  )
  running.push(core)
  return core.url
}

const openStore = async () => {
  if (given.STORAGE_ENDPOINT) return null
  const keys = {
    STORAGE_ACCESS_KEY_ID: 'sandbox',
    STORAGE_SECRET_ACCESS_KEY: await keptSecret('storage-secret'),
  }
  const store = await startServer(
    'the sandbox object store',
    new URL(import.meta.resolve('#sandbox/object-storage/main.ts')),
    { ...keys, STORAGE_DIRECTORY: join(stateDir, 'objects') },
  )
  running.push(store)
  const { region, bucket } = sandboxStorage
  return { ...keys, STORAGE_ENDPOINT: store.url, STORAGE_REGION: region, STORAGE_BUCKET: bucket }
}

const openAnalyser = async () => {
  if (given.MEDIA_INTELLIGENCE_URL) return null
  const secret = given.MEDIA_INTELLIGENCE_SECRET ?? (await keptSecret('media-intelligence-secret'))
  const analyser = await startServer(
    'the sandbox analyser',
    new URL(import.meta.resolve('#sandbox/media-intelligence/main.ts')),
    { MEDIA_INTELLIGENCE_SECRET: secret },
  )
  running.push(analyser)
  return { MEDIA_INTELLIGENCE_URL: analyser.url, MEDIA_INTELLIGENCE_SECRET: secret }
}

const openBilling = async (plans: string) => {
  if (given.BILLING_SECRET_KEY) return null
  const environment = {
    BILLING_SECRET_KEY: await keptSecret('billing-key'),
    BILLING_WEBHOOK_SECRET: given.BILLING_WEBHOOK_SECRET ?? (await keptSecret('billing-webhook-secret')),
  }
  const provider = await startServer(
    'the sandbox billing provider',
    new URL(import.meta.resolve('#sandbox/billing/main.ts')),
    { ...environment, BILLING_PLANS: plans, BILLING_STATE_FILE: join(stateDir, 'billing.json') },
  )
  running.push(provider)
  return { ...environment, BILLING_API_BASE: provider.url }
}

const openEmail = async () => {
  if (given.CORE_BASE_URL) return null
  const provider = await startServer(
    'the sandbox e-mail provider',
    new URL(import.meta.resolve('#sandbox/email/main.ts')),
    {},
  )
  running.push(provider)
  return { EMAIL_API_BASE: provider.url }
}

/** Tells a provider of the sandbox where its events are wanted. */
const subscribe = async (providerUrl: string | undefined, webhookUrl: string) => {
  if (providerUrl === undefined) return
  await fetch(`${providerUrl}/sandbox/endpoint`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: webhookUrl }),
  })
}

const openJobs = async (environment: Readonly<Record<string, string>>) => {
  running.push(
    await keepRunning(() => startChild('the jobs', new URL('./jobs.ts', import.meta.url), environment)),
  )
}

const stopAll = async () => {
  for (const part of running.splice(0).reverse()) await part.stop()
}

const stopOnSignals = () => {
  let stopping = false
  const stop = (exitCode: number) => {
    if (stopping) return
    stopping = true
    stopAll().finally(() => process.exit(exitCode))
  }
  process.on('SIGINT', () => stop(0))
  process.on('SIGTERM', () => stop(0))
  process.on('SIGHUP', () => stop(0))
  return stop
}

// What starts beside a part that fails is waited for: it has to be stopped as well.
const allOrFirstFailure = async <T extends readonly unknown[]>(parts: { [K in keyof T]: Promise<T[K]> }) => {
  await Promise.allSettled(parts)
  return Promise.all(parts)
}

const start = async () => {
  await mkdir(stateDir, { recursive: true })
  const plans = (await withPlansOfFile(given)).BILLING_PLANS || JSON.stringify(demoPlans)
  const [databaseUrl, issuer, storage, analysis, billing, email] = await allOrFirstFailure([
    openDatabaseServer(),
    openIssuer(),
    openStore(),
    openAnalyser(),
    openBilling(plans),
    openEmail(),
  ])
  await migrateDatabase(databaseUrl)
  if (!given.DATABASE_URL) await seedDemoCatalogue(databaseUrl)

  const auth = issuer
    ? { AUTH_ISSUER: issuer.issuer, AUTH_AUDIENCE: issuer.audience, AUTH_JWKS_URL: issuer.jwksUrl }
    : {}
  const coreUrl = await openCore({ ...auth, ...storage, ...analysis, ...email, DATABASE_URL: databaseUrl })
  const gateway = await startServer('the gateway', new URL('./server.ts', import.meta.url), {
    ...auth,
    ...storage,
    ...analysis,
    ...billing,
    DATABASE_URL: databaseUrl,
    CORE_BASE_URL: coreUrl,
    BILLING_PLANS: plans,
    GATEWAY_SECRET: given.GATEWAY_SECRET ?? (await keptSecret('gateway-secret')),
    INTERNAL_TOKEN: given.INTERNAL_TOKEN ?? (await keptSecret('internal-token')),
  })
  running.push(gateway)
  await subscribe(billing?.BILLING_API_BASE, `${gateway.url}/v1/webhooks/billing`)
  await subscribe(email?.EMAIL_API_BASE, `${gateway.url}/v1/webhooks/email`)
  await openJobs({
    ...storage,
    ...analysis,
    ...billing,
    BILLING_PLANS: plans,
    DATABASE_URL: databaseUrl,
    PUBLIC_BASE_URL: given.PUBLIC_BASE_URL ?? gateway.url,
  })
  const token = issuer ? await issuer.mintToken('acct_alice') : null
  const sandbox = {
    database: given.DATABASE_URL ? null : withoutPassword(databaseUrl),
    core: given.CORE_BASE_URL ? null : coreUrl,
    'object store': storage?.STORAGE_ENDPOINT ?? null,
    analyser: analysis?.MEDIA_INTELLIGENCE_URL ?? null,
    'billing provider': billing?.BILLING_API_BASE ?? null,
    'e-mail outbox': email?.EMAIL_API_BASE ?? null,
    'token issuer': issuer?.jwksUrl ?? null,
  }
  say(bannerOf({ url: gateway.url, token, sandbox }))
  return gateway
}

const stop = stopOnSignals()
try {
  const gateway = await start()
  gateway.exited.then(() => stop(1))
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  stop(1)
}
