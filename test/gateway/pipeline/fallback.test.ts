import { beforeEach, describe, expect, it } from 'vitest'
import { ApiError } from '#contracts/errors.ts'
import { create, detail } from '#contracts/libraries.ts'
import { insertLibrary } from '#db/queries/libraries/libraries.ts'
import { defineRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import type { Ports, ReadPorts } from '#native-routes/ports.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { createIdleGuard } from '#test/support/idle-guard.ts'
import type { TestResponse } from '#test/support/request-at.ts'

type TestHandler<I, P = Ports> = (input: I, ports: P) => Promise<never>
type WriteInput = { readonly actor: { readonly accountId: string }; readonly body: { readonly name: string } }

const notSet = () => Promise.reject(new Error('the test must set the behaviour of the handler'))
let onRead: TestHandler<unknown, ReadPorts> = notSet
let onWrite: TestHandler<WriteInput> = notSet

const adjustableHandlers = {
  ...handlers,
  'libraries.detail': defineRoute(detail, (input, ports) => onRead(input, ports)),
  'libraries.create': defineRoute(create, (input, ports) => onWrite(input, ports)),
}

const runtimeOf = ({ headers }: TestResponse) => [
  headers.get('x-service-core-runtime'),
  headers.get('x-service-proxy-fallback'),
]

const invalidResult = { id: 'not-a-library' } as never

describe('falling back to the core', () => {
  const gateway = startTestGateway({
    core: 'recording',
    handlers: adjustableHandlers,
    nativeTimeoutMs: 400,
    throughRelay: true,
    storage: true,
    billing: true,
    guard: createIdleGuard(),
  })
  let account: TestAccount
  let libraryId: string
  let coreRequestsBefore = 0

  beforeEach(async () => {
    account = await gateway.signUp()
    libraryId = crypto.randomUUID()
    const { sql } = gateway.database
    await sql`insert into libraries ${sql({ id: libraryId, owner_id: account.accountId, name: 'x', name_key: 'X' })}`
    gateway.relay.onStatement = () => null
    gateway.relay.setUnavailable(false)
    onRead = notSet
    onWrite = notSet
    await expect.poll(async () => (await account.get('/v1/libraries')).status).toBe(200)
    coreRequestsBefore = gateway.core.requests.length
  })

  const coreRequests = () => gateway.core.requests.slice(coreRequestsBefore)
  const read = () => account.get(`/v1/libraries/${libraryId}`)
  const write = (name: string = crypto.randomUUID()) => account.post('/v1/libraries', { name })
  const rowsOf = async (name: string) =>
    (
      await gateway.database
        .sql`select from libraries where owner_id = ${account.accountId} and name = ${name}`
    ).length

  const insert = async ({ actor, body }: WriteInput, { db }: Ports) =>
    db.tx((tx) => insertLibrary(tx, { ownerId: actor.accountId, name: body.name }))

  describe('on a route without effects', () => {
    it.each<[string, TestHandler<unknown, ReadPorts>]>([
      ['does not serve this request yet', async () => Promise.reject(new NotPortedError())],
      ['throws an unexpected error', async () => Promise.reject(new TypeError('fault'))],
      ['returns a result that does not match its contract', async () => invalidResult],
      ['times out', () => new Promise(() => undefined)],
    ])('happens once when native %s', async (_, behaviour) => {
      onRead = behaviour
      const response = await read()
      expect([response.status, ...runtimeOf(response)]).toEqual([200, 'proxy', '1'])
      expect(response.headers.get('x-service-native-route')).toBe('libraries.detail')
      expect(coreRequests().map(({ method, target }) => [method, target])).toEqual([
        ['GET', `/v1/libraries/${libraryId}`],
      ])
    })

    it('happens when the database is unavailable', async () => {
      gateway.relay.setUnavailable(true)
      const response = await read()
      expect([response.status, ...runtimeOf(response)]).toEqual([200, 'proxy', '1'])
    })

    it('does not happen for a contract error', async () => {
      onRead = async () => Promise.reject(new ApiError('library_not_found'))
      const response = await read()
      expect([response.status, ...runtimeOf(response)]).toEqual([404, 'native', '0'])
      expect(coreRequests()).toEqual([])
    })
  })

  describe('on a write', () => {
    it.each<[string, TestHandler<WriteInput>]>([
      ['does not serve this request yet', async () => Promise.reject(new NotPortedError())],
      [
        'rejects the request before its first write',
        async (_, { db }) => db.tx(() => Promise.reject(new NotPortedError())),
      ],
      [
        'rejects the request and its write is rolled back',
        async (input, { db }) =>
          db.tx(async (tx) => {
            await insertLibrary(tx, { ownerId: input.actor.accountId, name: input.body.name })
            throw new NotPortedError()
          }),
      ],
      ['times out before its first write', () => new Promise(() => undefined)],
      [
        'has only looked up an object',
        async (_, { storage }) => {
          expect(await storage.find('uploads/none')).toBeNull()
          throw new NotPortedError()
        },
      ],
      [
        'has only queried a provider',
        async (_, { billing }) => {
          const id = 'cus_without_subscriptions'
          gateway.billing.store.customers[id] = { id, created: 0, email: null, metadata: {} }
          expect(await billing.connect()?.listSubscriptions(id)).toEqual([])
          expect(await billing.connect()?.findSubscription('sub_none')).toBeNull()
          throw new NotPortedError()
        },
      ],
    ])("sends the core the client's body when native %s", async (_, behaviour) => {
      onWrite = behaviour
      const name = crypto.randomUUID()
      const response = await write(name)
      expect([response.status, ...runtimeOf(response)]).toEqual([200, 'proxy', '1'])
      expect(await rowsOf(name)).toBe(0)
      const [forwarded, ...more] = coreRequests()
      expect(more).toEqual([])
      expect((await forwarded?.body)?.toString()).toBe(JSON.stringify({ name }))
    })

    it("does not happen for a body over native's size limit", async () => {
      gateway.relay.setUnavailable(true)
      const response = await account.patch(`/v1/libraries/${libraryId}`, { name: 'x'.repeat(2_000_000) })
      expect([response.status, ...runtimeOf(response)]).toEqual([413, 'native', '0'])
      expect(coreRequests()).toEqual([])
    })

    it('happens when the database is lost before the transaction begins', async () => {
      onWrite = async (input, ports) => {
        gateway.relay.setUnavailable(true)
        return insert(input, ports) as never
      }
      const response = await write()
      expect([response.status, ...runtimeOf(response)]).toEqual([200, 'proxy', '1'])
    })

    it("logs the reason together with native's error", async () => {
      onWrite = async () => Promise.reject(Object.assign(new NotPortedError(), { code: 'LOGGED' }))
      const requestId = crypto.randomUUID()
      const { headers } = await account.post('/v1/libraries', { name: 'x' }, { 'x-request-id': requestId })
      expect(headers.get('x-service-proxy-fallback')).toBe('1')
      const failure = gateway.log.forRequest(requestId).find(({ level }) => level === 'error')
      expect(failure?.fields).toMatchObject({ route: 'libraries.create', fallbackReason: 'not_ported' })
    })

    it('logs no reason for a native failure that does not fall back', async () => {
      onWrite = async (_, { db }) => db.tx(() => Promise.reject(new RangeError('fault')))
      const requestId = crypto.randomUUID()
      await account.post('/v1/libraries', { name: 'x' }, { 'x-request-id': requestId })
      const failure = gateway.log.forRequest(requestId).find(({ level }) => level === 'error')
      expect(failure?.fields).toMatchObject({ route: 'libraries.create', error: 'internal_error' })
      expect(failure?.fields).not.toHaveProperty('fallbackReason')
    })

    it("makes the abandoned handler's provider changes fail, but not its reads", async () => {
      const countChanges = () => gateway.billing.requests.filter(({ method }) => method === 'POST').length
      const changes = countChanges()
      const calls = Promise.withResolvers<unknown>()
      onWrite = async (_, { storage, billing }) => {
        await new Promise((resolve) => setTimeout(resolve, 700))
        const provider = billing.connect()
        calls.resolve(
          await Promise.allSettled([
            storage.remove('assets/none'),
            provider?.createCustomer({ accountId: 'acct_abandoned', email: null }),
            storage.find('assets/none'),
          ]),
        )
        throw new NotPortedError()
      }
      expect(runtimeOf(await write())).toEqual(['proxy', '1'])
      const abandoned = { status: 'rejected', reason: { name: 'RequestAbandoned' } }
      expect(await calls.promise).toMatchObject([abandoned, abandoned, { status: 'fulfilled', value: null }])
      expect(countChanges()).toBe(changes)
    })

    it("makes the abandoned handler's transaction fail", async () => {
      const rejected = Promise.withResolvers<unknown>()
      onWrite = async (input, ports) => {
        await new Promise((resolve) => setTimeout(resolve, 700))
        return insert(input, ports).catch((error) => {
          rejected.resolve(error)
          throw error
        }) as never
      }
      const name = crypto.randomUUID()
      expect(runtimeOf(await write(name))).toEqual(['proxy', '1'])
      expect(await rejected.promise).toMatchObject({ name: 'RequestAbandoned' })
      expect(await rowsOf(name)).toBe(0)
    })

    it.each(['insert', 'commit'] as const)(
      'never happens after the database connection is lost at the %s',
      async (statement) => {
        for (const fault of ['cut-before', 'cut-after'] as const) {
          onWrite = insert as never
          gateway.relay.onStatement = (passing, sent) =>
            passing === statement && (statement === 'commit' || sent.includes('libraries')) ? fault : null
          const name = crypto.randomUUID()
          const requestId = crypto.randomUUID()
          const response = await account.post('/v1/libraries', { name }, { 'x-request-id': requestId })
          gateway.relay.onStatement = () => null
          expect([response.status, response.body, ...runtimeOf(response)]).toEqual([
            503,
            errorBody('libraries_database_unavailable'),
            'native',
            '0',
          ])
          expect(coreRequests()).toEqual([])
          await expect.poll(() => rowsOf(name)).toBe(statement === 'commit' && fault === 'cut-after' ? 1 : 0)
          const failure = gateway.log.forRequest(requestId).find(({ level }) => level === 'error')
          expect(failure?.fields).toMatchObject({ outcome: 'outcome_unknown' })
        }
      },
    )

    it.each<[string, TestHandler<WriteInput>]>([
      [
        'has committed and fails afterwards',
        async (input, ports) => {
          await insert(input, ports)
          throw new NotPortedError()
        },
      ],
      [
        'has committed and returns a result that does not match its contract',
        async (input, ports) => {
          await insert(input, ports)
          return invalidResult
        },
      ],
      [
        'has removed an object',
        async (_, { storage }) => {
          await storage.remove('assets/none')
          throw new NotPortedError()
        },
      ],
      [
        'has called a provider that failed',
        async (_, { billing }) => {
          await billing
            .connect()
            ?.cancelNow('sub_none')
            .catch(() => undefined)
          throw new NotPortedError()
        },
      ],
      [
        'has called a provider inside a transaction that was rolled back',
        async ({ actor }, { db, billing }) =>
          db.tx(async () => {
            await billing.connect()?.createCustomer({ ...actor, email: null })
            throw new NotPortedError()
          }),
      ],
      ['throws an unexpected error', async () => Promise.reject(new TypeError('fault'))],
    ])('never happens after native %s', async (_, behaviour) => {
      onWrite = behaviour
      const response = await write()
      expect(response.status).toBeGreaterThanOrEqual(500)
      expect(runtimeOf(response)).toEqual(['native', '0'])
      expect(coreRequests()).toEqual([])
    })
  })
})
