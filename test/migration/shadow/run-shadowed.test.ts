import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { detail } from '#contracts/libraries.ts'
import { openDatabase } from '#db/client/connection.ts'
import { packs } from '#db/schema/packs.ts'
import { createShadowRun } from '#migration/shadow/run-shadowed.ts'
import { defineRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import type { Ports, ReadPorts } from '#native-routes/ports.ts'
import { checksumTables } from '#test/support/checksum-tables.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertShared, openShadow } from './shadow-fixtures.ts'

type Attempt = (ports: Ports, accountId: string) => PromiseLike<unknown>

// The cast that a handler could use to get around the types.
const asPorts = (ports: ReadPorts) => ports as Ports

const internalError = {
  kind: 'response',
  status: 500,
  body: Buffer.from(JSON.stringify(errorBody('internal_error'))),
}

describe('a shadowed request', () => {
  const gateway = startTestGateway()
  const shadow = openShadow(gateway)
  let shared: Awaited<ReturnType<typeof insertShared>>
  beforeAll(async () => {
    shared = await insertShared(gateway)
    await gateway.database.sql`
      create function add_account() returns text language sql as $$
        insert into accounts (id) values ('added') returning id $$`
  })

  const runWith = async (attempt: Attempt, settings: object = {}) => {
    const before = await checksumTables(gateway.database.sql)
    const handler = defineRoute(detail, async ({ library, actor }, ports) => {
      await attempt(asPorts(ports), actor.accountId)
      return library
    })
    const outcome = await shadow.run(`/v1/libraries/${shared.libraryId}`, shared.owner, {
      handlers: { ...handlers, 'libraries.detail': handler },
      settings,
    })
    expect(await checksumTables(gateway.database.sql)).toEqual(before)
    return outcome
  }
  const withProviders = {
    BILLING_SECRET_KEY: 'sk_test_x',
    LINKS_API_KEY: 'x',
    LINKS_API_BASE: 'http://127.0.0.1:1',
  }

  const effects: readonly (readonly [string, Attempt])[] = [
    ['begins a transaction', ({ db }) => db.tx(async (tx) => tx.execute(sql`select 1`))],
    ['removes an object', ({ storage }) => storage.remove('a')],
    ['copies an object', ({ storage }) => storage.copy('a', 'b', 'audio/mpeg')],
    [
      'creates a customer',
      async ({ billing }, accountId) => billing.connect()?.createCustomer({ accountId, email: null }),
    ],
    [
      'creates a short link',
      async ({ links }, ownerId) => links.tracking?.create({ ref: 'track_link:a', ownerId, path: '/' }),
    ],
    [
      'locks an entitlement',
      ({ db, entitlements }, id) => entitlements.findLocked(db.read as never, id, 'tracks.share'),
    ],
  ]

  it.each(effects)(
    'returns an internal error if its handler %s, even if the handler catches the error',
    async (_, attempt) => {
      const caught: Attempt = async (ports, accountId) => {
        try {
          await attempt(ports, accountId)
        } catch {}
      }
      expect(await runWith(attempt, withProviders)).toMatchObject(internalError)
      expect(await runWith(caught, withProviders)).toMatchObject(internalError)
    },
  )

  it('returns an internal error if a read calls a function that writes', async () => {
    const outcome = await runWith(({ db }) => db.read.select({ id: sql`add_account()` }).from(packs).limit(1))
    expect(outcome).toMatchObject(internalError)
  })

  it.each<[string, string, Attempt]>([
    [
      'provider',
      'queries the billing provider',
      async ({ billing }) => billing.connect()?.findSubscription('sub_a'),
    ],
    ['provider', 'queries the object store', ({ storage }) => storage.find('a')],
    [
      'database',
      'waits longer for the database than it may',
      ({ db }) => db.read.select({ x: sql`pg_sleep(2)` }).from(packs),
    ],
    ['not_ported', 'leaves the request to the core', () => Promise.reject(new NotPortedError())],
  ])('is not comparable (%s) if its handler %s', async (reason, _, attempt) => {
    expect(await runWith(attempt, withProviders)).toEqual({ kind: 'not_comparable', reason })
  })

  it('is not comparable if it asks the link provider for clicks, even if the handler catches the error', async () => {
    const path = `/v1/analytics/tracks/${shared.trackId}`
    expect(await shadow.run(path, shared.owner)).toMatchObject({ kind: 'response', status: 200 })
    const outcome = await shadow.run(path, shared.owner, { settings: withProviders })
    expect(outcome).toEqual({ kind: 'not_comparable', reason: 'provider' })
  })

  it('signs URLs without a request to the object store', async () => {
    const outcome = await runWith(async ({ storage }) => {
      expect((await storage.presignGet('a', { expiresInS: 60 })).url).toContain('X-Amz-Signature')
    })
    expect(outcome).toMatchObject({ kind: 'response', status: 200 })
  })

  it('is rejected like a live request if it has no account', async () => {
    const outcome = await shadow.run(`/v1/libraries/${shared.libraryId}`)
    expect(outcome).toMatchObject({
      kind: 'response',
      status: 401,
      body: Buffer.from(JSON.stringify(errorBody('unauthorized'))),
    })
  })

  it.each([
    ['POST', '/v1/libraries'],
    ['HEAD', '/v1/libraries'],
  ])('is not comparable if it is %s %s, which is not a GET', async (method, path) => {
    const outcome = await shadow.run(path, shared.owner, { method })
    expect(outcome).toEqual({ kind: 'not_comparable', reason: 'no_read' })
  })

  it('is not comparable for a route without a handler', async () => {
    const outcome = await shadow.run('/v1/libraries', shared.owner, { handlers: {} })
    expect(outcome).toEqual({ kind: 'not_comparable', reason: 'not_ported' })
  })

  it('requires a database whose server enforces read-only access', async () => {
    const database = openDatabase(gateway.database.url, { connections: 1 })
    onTestFinished(() => database.close())
    const run = createShadowRun({ database, handlers, settings: gateway.settings, listeningUrl: '' })
    const request = { method: 'GET', path: '/v1/libraries', query: '', headers: {}, actor: null }
    await expect(run('libraries.list', request)).rejects.toThrow('opened with readOnly')
  })
})
