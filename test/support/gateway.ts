import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import type { SandboxBilling } from '#dev/sandbox/billing/start-billing.ts'
import { type SandboxModel, startModel } from '#dev/sandbox/model/start-model.ts'
import { operatorSignInSettings } from '#dev/sandbox/operator-sign-in.ts'
import { startTokenIssuer, type TokenIssuer } from '#dev/sandbox/token-issuer.ts'
import type { RunningGateway } from '#gateway/node/start-node-gateway.ts'
import { fixedControl, type RouteControl } from '#gateway/request/route-control.ts'
import { readSandboxSettings, type Settings } from '#gateway/settings/settings.ts'
import { fullWeightBp } from '#migration/model/route-state.ts'
import { startTestBilling } from './billing.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type DatabaseRelay, startDatabaseRelay } from './database-relay.ts'
import type { TestGatewayOptions } from './gateway-options.ts'
import { testPlans } from './plans.ts'
import type { RawCore } from './raw-core.ts'
import { createRecordingLog, type RecordingLog, recordConsoleLine } from './recording-log.ts'
import { type RequestOptions, requestAt, type TestResponse } from './request-at.ts'
import { buildTestView } from './routing.ts'
import { startTestStorage, type TestStorage, unreachableStorage } from './storage.ts'
import { startTestCore } from './test-core.ts'
import { openTestWorker } from './worker.ts'

const modelKey = 'model-key-of-the-tests'
const gatewaySecret = 'gateway-secret-of-the-tests'

interface SignUpOptions {
  readonly plan?: 'free' | 'starter' | 'pro'
  readonly email?: string
  readonly emailVerified?: boolean
  readonly accountId?: string
}

type Send = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<TestResponse>

export interface TestAccount {
  readonly accountId: string
  readonly email: string
  readonly token: string
  readonly get: (path: string, headers?: Record<string, string>) => Promise<TestResponse>
  readonly post: Send
  readonly patch: Send
  readonly put: Send
  readonly delete: Send
}

export interface TestGateway {
  readonly url: string
  readonly adminUrl: string
  readonly database: TestDatabase
  readonly issuer: TokenIssuer
  readonly log: RecordingLog
  readonly running: RunningGateway
  /** The recording core with the requests that it received. */
  readonly core: RawCore
  readonly relay: DatabaseRelay
  readonly storage: TestStorage
  readonly billing: SandboxBilling
  readonly model: SandboxModel
  readonly settings: Settings
  readonly stateDir: string
  /** The environment variables that the settings were read from. */
  readonly environment: Readonly<Record<string, string>>
  stopCore(): Promise<void>
  request(method: string, path: string, options?: RequestOptions): Promise<TestResponse>
  requestAdmin(method: string, path: string, options?: RequestOptions): Promise<TestResponse>
  signUp(options?: SignUpOptions): Promise<TestAccount>
}

// Moves routes to native as the setting `GATEWAY_ROUTES` would, which the fixed control does not read.
const createFixedControl = ({ core = 'none', nativeLabels = [] }: TestGatewayOptions): RouteControl => {
  const hasCore = core !== 'none'
  const staticStates = nativeLabels.map(
    (scope) => ({ scope, stage: 'native', weightBp: fullWeightBp }) as const,
  )
  const view = buildTestView({ hasCore, staticStates })
  return { ...fixedControl(hasCore), current: () => view }
}

const open = async (options: TestGatewayOptions) => {
  const { platform = 'node' } = options
  const { control = platform === 'workerd' ? 'fixed' : 'node' } = options
  const { core = 'none', handlers, nativeTimeoutMs, guard, environment = {} } = options
  const { bodyBudget, bodyProgress, mountMiddleware, nativeLabels = [], warmsUp = false } = options
  const stateDir = await mkdtemp(join(tmpdir(), 'crossfade-test-'))
  const [database, issuer] = await Promise.all([
    createTestDatabase(options.database),
    startTokenIssuer({ stateDir }),
  ])
  const auth = {
    AUTH_ISSUER: issuer.issuer,
    AUTH_AUDIENCE: issuer.audience,
    AUTH_JWKS_URL: issuer.jwksUrl,
  }
  const storage = options.storage ? await startTestStorage() : null
  const storageEnvironment = storage?.environment ?? unreachableStorage
  const { coreUrl, rawCore, stopCore } = await startTestCore(core, {
    DATABASE_URL: database.defaultsUrl,
    GATEWAY_SECRET: gatewaySecret,
    ...auth,
    ...storageEnvironment,
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('QUOTA_'))),
  })
  const relay = options.throughRelay ? await startDatabaseRelay(database.url) : null
  const billing = options.billing ? await startTestBilling() : null
  const model = options.model ? await startModel({ apiKey: modelKey }) : null
  const log = createRecordingLog()
  const gatewayEnvironment = {
    PORT: '0',
    GATEWAY_ROUTES: nativeLabels.map((label) => `${label}=native`).join(),
    ADMIN_PORT: '0',
    JOBS_ADMIN_PORT: '0',
    ...database.environment,
    ...(relay ? { DATABASE_URL: relay.url } : {}),
    ...(relay && options.routingThroughRelay ? { DATABASE_DIRECT_URL: relay.url } : {}),
    ...(relay && !options.routingThroughRelay ? { DATABASE_DIRECT_URL: database.directUrl } : {}),
    CORE_BASE_URL: coreUrl ?? 'none',
    ...auth,
    BILLING_PLANS: JSON.stringify(testPlans),
    INTERNAL_TOKEN: 'internal-token-of-the-tests',
    GATEWAY_SECRET: gatewaySecret,
    ...storageEnvironment,
    ...(billing?.environment ?? {}),
    ...(options.singleSignOn
      ? { ...operatorSignInSettings, OIDC_ISSUER: issuer.operatorIssuer.replace('127.0.0.1', 'localhost') }
      : {}),
    ...(model ? { AI_BASE_URL: model.url, AI_API_KEY: modelKey, AI_MODEL: 'sandbox' } : {}),
    ...environment,
  }
  const settings = readSandboxSettings(gatewayEnvironment)
  const running = await startGateway({
    settings,
    log,
    ...(handlers ? { handlers } : {}),
    ...(nativeTimeoutMs ? { nativeTimeoutMs } : {}),
    guard,
    ...(control === 'fixed' ? { control: createFixedControl(options) } : {}),
    ...(bodyBudget ? { bodyBudget } : {}),
    ...(bodyProgress ? { bodyProgress } : {}),
    ...(mountMiddleware ? { mountMiddleware } : {}),
    homePage: options.homePage?.(issuer),
    warmsUp,
    gateLimits: options.gateLimits,
    comparisonRates: options.comparisonRates,
    comparisonWriteMs: options.comparisonWriteMs,
    comparedHandlers: options.comparedHandlers,
    now: options.now,
  })
  const servingLog = platform === 'workerd' ? createRecordingLog() : log
  const worker =
    platform === 'workerd'
      ? await openTestWorker(gatewayEnvironment, (line) => recordConsoleLine(servingLog, line))
      : null
  const url = worker?.origin ?? running.url
  billing?.provider.deliveries.setEndpoint(`${url}/v1/webhooks/billing`)
  const close = async () => {
    await worker?.close()
    await billing?.provider.close()
    await model?.close()
    await running.close()
    await relay?.close()
    await storage?.close()
    await stopCore()
    await issuer.close()
    await database.close()
    await rm(stateDir, { recursive: true, force: true })
  }
  return {
    database,
    issuer,
    log: servingLog,
    url,
    running,
    rawCore,
    relay,
    storage,
    billing,
    model,
    settings,
    gatewayEnvironment,
    stateDir,
    stopCore,
    close,
  }
}

/**
 * Starts a gateway with a new database and token issuer for a test file; it stops after the file. Use `control:
 * 'fixed'` for tests of what the gateway does with a single request.
 */
export const startTestGateway = (options: TestGatewayOptions = {}): TestGateway => {
  let opened: Awaited<ReturnType<typeof open>> | undefined
  beforeAll(async () => {
    opened = await open(options)
  })
  afterAll(async () => {
    await opened?.close()
  })
  const gateway = () => {
    if (!opened) throw new Error('the gateway is not started yet')
    return opened
  }

  const request: TestGateway['request'] = (...sent) => requestAt(gateway().url, ...sent)

  const adminUrl = () => {
    const { adminUrl } = gateway().running
    if (adminUrl === null) throw new Error('this gateway has no admin listener')
    return adminUrl
  }
  const requestAdmin: TestGateway['requestAdmin'] = (...sent) => requestAt(adminUrl(), ...sent)

  const signUp: TestGateway['signUp'] = async ({ plan = 'pro', emailVerified = true, ...options } = {}) => {
    const accountId = options.accountId ?? `acct_${crypto.randomUUID()}`
    const email = options.email ?? `${accountId}@example.test`
    const { issuer, database } = gateway()
    if (plan !== 'free') {
      await database.sql`insert into subscriptions ${database.sql({
        account_id: accountId,
        plan_id: plan,
        status: 'active',
      })}`
    }
    const token = await issuer.mintToken(accountId, { email, emailVerified })
    const send =
      (method: string): Send =>
      (path, body, headers = {}) =>
        request(method, path, { token, headers, ...(body === undefined ? {} : { body }) })
    return {
      accountId,
      email,
      token,
      get: (path, headers = {}) => request('GET', path, { token, headers }),
      post: send('POST'),
      patch: send('PATCH'),
      put: send('PUT'),
      delete: send('DELETE'),
    }
  }

  return {
    get url() {
      return gateway().url
    },
    get adminUrl() {
      return adminUrl()
    },
    get database() {
      return gateway().database
    },
    get issuer() {
      return gateway().issuer
    },
    get log() {
      return gateway().log
    },
    get running() {
      return gateway().running
    },
    get core() {
      const { rawCore } = gateway()
      if (!rawCore) throw new Error('this gateway has no recording core')
      return rawCore
    },
    get relay() {
      const { relay } = gateway()
      if (!relay) throw new Error('this gateway has no relay to its database')
      return relay
    },
    get storage() {
      const { storage } = gateway()
      if (!storage) throw new Error('this gateway has no object store')
      return storage
    },
    get billing() {
      const { billing } = gateway()
      if (!billing) throw new Error('this gateway has no billing provider')
      return billing.provider
    },
    get model() {
      const { model } = gateway()
      if (!model) throw new Error('this gateway has no model')
      return model
    },
    get settings() {
      return gateway().settings
    },
    get stateDir() {
      return gateway().stateDir
    },
    get environment() {
      return gateway().gatewayEnvironment
    },
    stopCore: () => gateway().stopCore(),
    request,
    requestAdmin,
    signUp,
  }
}
