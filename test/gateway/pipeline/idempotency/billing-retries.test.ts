import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { identifyRequest } from '#gateway/pipeline/idempotency/identify-request.ts'
import { buyPlan } from '#test/support/billing.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const order = { planId: 'pro', returnPath: '/plans' }
const newHeaders = () => ({ 'idempotency-key': crypto.randomUUID() })

describe('a billing request with an idempotency key', () => {
  const gateway = startTestGateway({ control: 'fixed', billing: true, throughRelay: true })

  beforeEach(() => {
    gateway.relay.onStatement = () => null
  })

  /** Cuts the connection at the message with this `index` (from 0) after a checkout session was created. */
  const cutAfterCheckout = (index: number, fault: 'cut-before' | 'cut-after') => {
    const { requests } = gateway.billing
    const before = requests.length
    const isCreated = () =>
      requests.slice(before).some(({ method, path }) => method === 'POST' && path === '/v1/checkout/sessions')
    let seen = 0
    gateway.relay.onStatement = () => {
      if (!isCreated() || seen++ < index) return null
      gateway.relay.onStatement = () => null
      return fault
    }
  }

  const sessionsOf = ({ accountId }: TestAccount) =>
    Object.values(gateway.billing.store.sessions).filter(({ metadata }) => metadata.account_id === accountId)

  // PostgreSQL holds the first attempt's lock until it notices that the connection is lost.
  const retryUntilUnlocked = async (send: () => ReturnType<TestAccount['post']>) => {
    let response = await send()
    while (response.body.error === 'idempotency_in_progress') {
      await setTimeout(20)
      response = await send()
    }
    return response
  }

  // The messages are BEGIN, the lock, the lookup, INSERT and COMMIT.
  it.each([
    [1, 'cut-before', null],
    [3, 'cut-before', null],
    [4, 'cut-before', null],
    [4, 'cut-after', 'true'],
  ] as const)(
    'opens only one checkout, even if the database connection is lost right afterwards (%i, %s)',
    async (index, fault, replayed) => {
      const account = await gateway.signUp({ plan: 'free' })
      const headers = newHeaders()
      cutAfterCheckout(index, fault)
      const failed = await account.post('/v1/billing/checkout', order, {
        ...headers,
        'x-link-click-id': 'c1',
      })
      // If the transaction was committed before its connection was lost, the gateway finds its result immediately.
      expect(failed.status).toBe(fault === 'cut-after' ? 201 : 503)
      if (failed.status === 503) expect(failed.body).toEqual(errorBody('billing_database_unavailable'))
      expect(sessionsOf(account)).toHaveLength(1)
      const retried = await retryUntilUnlocked(() => account.post('/v1/billing/checkout', order, headers))
      expect(retried.status).toBe(201)
      expect(retried.headers.get('idempotent-replayed')).toBe(replayed)
      expect(sessionsOf(account)).toMatchObject([{ id: retried.body.sessionId, status: 'open' }])
      const again = await account.post('/v1/billing/checkout', order, headers)
      expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([retried.body, 'true'])
      const [row] = await gateway.database.sql`
      select checkouts from subscriptions where account_id = ${account.accountId}`
      expect(row?.checkouts).toBe(1)
    },
  )

  it('opens another checkout if the key is different', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const first = await account.post('/v1/billing/checkout', order, newHeaders())
    const second = await account.post('/v1/billing/checkout', order, newHeaders())
    expect(second.body.sessionId).not.toBe(first.body.sessionId)
    expect(sessionsOf(account).filter(({ status }) => status === 'open')).toMatchObject([
      { id: second.body.sessionId },
    ])
  })

  it('returns the current state if its response was not stored and other requests came in between', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await buyPlan(gateway, account, 'starter')
    const headers = newHeaders()
    await account.post('/v1/billing/cancel', undefined, headers)
    // Imitates a process that was killed before it stored the response.
    await gateway.database.sql`delete from idempotency_keys`
    await account.post('/v1/billing/resume')
    const retried = await account.post('/v1/billing/cancel', undefined, headers)
    expect([retried.status, retried.body.cancelAtPeriodEnd]).toEqual([200, false])
    expect((await account.get('/v1/billing/status')).body.cancelAtPeriodEnd).toBe(false)
  })

  it('stores a conflict that was found in a committed transaction', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await buyPlan(gateway, account, 'starter')
    const headers = newHeaders()
    const conflict = await account.post('/v1/billing/checkout', order, headers)
    expect([conflict.status, conflict.body.reason]).toEqual([409, 'already_subscribed'])
    const replayed = await account.post('/v1/billing/checkout', order, headers)
    expect([replayed.status, replayed.body]).toEqual([409, conflict.body])
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  })

  it('returns the conflict or idempotency_in_progress to concurrent duplicates', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await buyPlan(gateway, account, 'starter')
    const headers = newHeaders()
    const send = () => account.post('/v1/billing/checkout', order, headers)
    for (const { status, body } of await Promise.all([send(), send(), send(), send()])) {
      expect(status).toBe(409)
      expect(['billing_bad_input', 'idempotency_in_progress']).toContain(body.error)
    }
    expect((await send()).body.reason).toBe('already_subscribed')
  })

  it('does not store the response to a provider failure', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const headers = newHeaders()
    gateway.billing.setBehaviour({ down: true })
    expect((await account.post('/v1/billing/checkout', order, headers)).status).toBe(503)
    gateway.billing.setBehaviour({ down: false })
    expect((await account.post('/v1/billing/checkout', order, headers)).status).toBe(201)
    expect(sessionsOf(account)).toHaveLength(1)
  })
})

describe('the limit on billing sessions', () => {
  const gateway = startTestGateway({
    control: 'fixed',
    billing: true,
    environment: { RATE_LIMIT_BILLING: '1/3600' },
  })

  it('counts an opened checkout even if a duplicate kept its response from being stored', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const key = crypto.randomUUID()
    const path = '/v1/billing/checkout'
    const { keyHash } = identifyRequest({
      secret: gateway.settings.GATEWAY_SECRET,
      accountId: account.accountId,
      key,
      method: 'POST',
      path,
      query: '',
      body: new TextEncoder().encode(JSON.stringify(order)),
      route: 'billing.checkout',
      core: 'unused',
      epoch: 0,
    })
    const isOpened = () => gateway.billing.requests.some(({ path }) => path === '/v1/checkout/sessions')
    gateway.billing.setBehaviour({ delayMs: 600 })
    const opening = account.post(path, order, { 'idempotency-key': key })
    await expect.poll(isOpened, { timeout: 10_000 }).toBe(true)
    await gateway.database.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${`idempotency key ${keyHash}`}, 0))`
      expect((await opening).body).toEqual(errorBody('idempotency_in_progress'))
    })
    gateway.billing.setBehaviour({ delayMs: 0 })
    const sessions = Object.values(gateway.billing.store.sessions)
    expect(sessions.filter(({ metadata }) => metadata.account_id === account.accountId)).toHaveLength(1)
    expect((await account.post(path, order, newHeaders())).body).toEqual(errorBody('rate_limited'))
  })
})
