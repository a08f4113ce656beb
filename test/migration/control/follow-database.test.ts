import { afterAll, beforeAll, expect, it } from 'vitest'
import { labelsOf } from '#contracts/shared/row.ts'
import { migrateDatabase } from '#db/migrate.ts'
import { followDatabase } from '#migration/control/follow-database.ts'
import { createRoutingState } from '#migration/control/routing-state.ts'
import { handlers } from '#native-routes/index.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type DatabaseRelay, startDatabaseRelay } from '#test/support/database-relay.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { storeRouteState } from '#test/support/routing.ts'

const log = createRecordingLog()
const stateSettings = {
  GATEWAY_KILL: [],
  GATEWAY_ROUTES: [],
  GATEWAY_SECRET: 'sixteen-characters',
  CORE_BASE_URL: ['http://core.test'],
}
const handled = labelsOf(handlers)
const state = createRoutingState({ settings: stateSettings, handled, log })
const polls: { readonly durationMs: number; readonly hasFailed: boolean }[] = []
let database: TestDatabase
let relay: DatabaseRelay
let following: Awaited<ReturnType<typeof followDatabase>>

beforeAll(async () => {
  database = await createTestDatabase()
  await storeRouteState(database, { scope: 'libraries.list', state: 'canary', weightBp: 100 })
  relay = await startDatabaseRelay(database.url)
  following = await followDatabase({
    settings: { DATABASE_URL: relay.url, DATABASE_PREPARE: true },
    state,
    build: { id: 'build-1', keys: new Map([['libraries.list', 'key-1']]) },
    log,
    onPoll: (durationMs, hasFailed) => polls.push({ durationMs, hasFailed }),
    timing: { pollIntervalMs: 50, staleAfterMs: 200, beatIntervalMs: 100 },
  })
})

afterAll(async () => {
  await following.close()
  await relay.close()
  await database.close()
})

const view = () => state.current().views.get('libraries.list')

it('followDatabase resolves once it has read the state', () => {
  expect(state.current()).toMatchObject({ epoch: 1, isStale: false })
  expect(view()).toMatchObject({ side: 'split', weightBp: 100 })
})

it('followDatabase keeps the last state, reported as stale, while the database is unavailable, then follows again', async () => {
  relay.setUnavailable(true)
  await expect.poll(() => state.current().isStale).toBe(true)
  await expect.poll(() => following.waitUntilFresh()).toBeNull()
  await expect
    .poll(() => log.lines.some(({ message }) => message === 'failed to read routing state'))
    .toBe(true)
  expect(view()).toMatchObject({ side: 'split', weightBp: 100, core: { side: 'core', reason: 'stale' } })
  await storeRouteState(database, { scope: 'libraries.list', state: 'canary', weightBp: 2500 })
  relay.setUnavailable(false)
  await expect.poll(() => state.current(), { timeout: 5000 }).toMatchObject({ epoch: 2, isStale: false })
  expect(view()).toMatchObject({ weightBp: 2500, core: { reason: 'split' } })
  expect(log.lines.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      'routing state outdated',
      'routing state refreshed',
      'failed to read routing state',
    ]),
  )
})

it('followDatabase reports how long each poll took, and whether it failed', async () => {
  const outcomes = () => new Set(polls.map(({ hasFailed }) => hasFailed))
  await expect.poll(outcomes).toEqual(new Set([false, true]))
  expect(polls.every(({ durationMs }) => durationMs > 0)).toBe(true)
})

it('the routing state tells its listeners about each new view', async () => {
  const epochs: number[] = []
  const stop = state.onChange(({ epoch }) => epochs.push(epoch))
  await storeRouteState(database, { scope: 'libraries.list', killed: true, state: 'proxy' })
  await expect.poll(() => epochs).toContain(3)
  stop()
})

it('followDatabase notices that an override has ended, even though the database has not changed', async () => {
  const until = new Date(Date.now() + 700)
  await database.sql`
    insert into account_override (account_id, scope, side, reason, who, until)
    values ('acct_1', 'libraries.detail', 'core', 'test', 'tester', ${until})`
  await storeRouteState(database, { scope: 'tracks.*' })
  const isSplit = () => state.current().views.get('libraries.detail')?.side === 'split'
  await expect.poll(isSplit, { interval: 10 }).toBe(true)
  await expect.poll(isSplit, { timeout: 5000 }).toBe(false)
})

it('followDatabase keeps reporting that the instance is alive, with the keys of its handlers', async () => {
  const find = () => database.sql`select keys, beat_at from gateway_instance`
  const [before] = await find()
  expect(before?.keys).toEqual({ 'libraries.list': 'key-1' })
  await expect.poll(async () => (await find())[0]?.beat_at > before?.beat_at).toBe(true)
})

it('followDatabase adopts a lower epoch, or a different state with the same epoch, after a restore', async () => {
  await database.sql`update routing_epoch set epoch = 3`
  await expect.poll(() => state.current().epoch).toBe(3)
  relay.setUnavailable(true)
  await expect.poll(() => state.current().isStale).toBe(true)
  await database.sql`update route_state set killed = false where scope = 'libraries.list'`
  relay.setUnavailable(false)
  await expect.poll(view, { timeout: 5000 }).toMatchObject({ side: 'core', reason: 'static' })
})

const startFollowing = async (databaseUrl: string, startTimeoutMs: number, prepare?: () => Promise<void>) => {
  const startLog = createRecordingLog()
  const started = createRoutingState({ settings: stateSettings, handled, log: startLog })
  const options = { settings: { DATABASE_URL: databaseUrl, DATABASE_PREPARE: true }, log: startLog }
  const build = { id: 'build-1', keys: new Map() }
  const timing = { pollIntervalMs: 50, staleAfterMs: 500, startTimeoutMs }
  const following = await followDatabase({ ...options, state: started, build, timing, prepare })
  return { started, startLog, ...following }
}

it('followDatabase waits at startup for a database that rejects connections at first', async () => {
  relay.setUnavailable(true)
  setTimeout(() => relay.setUnavailable(false), 300)
  const { started, startLog, close } = await startFollowing(relay.url, 10_000)
  expect(started.current()).toMatchObject({ isKnown: true, isStale: false })
  expect(startLog.lines.map(({ message }) => message)).not.toContain('routing state unavailable at start')
  await close()
})

it('followDatabase reads nothing before the database is prepared, and retries the preparation', async () => {
  let attempts = 0
  const seen: boolean[] = []
  const preparation = Promise.withResolvers<void>()
  const prepare = async () => {
    attempts += 1
    if (attempts < 3) throw new Error('not migrated')
    await preparation.promise
  }
  const { started, startLog, close } = await startFollowing(database.url, 300, prepare)
  seen.push(started.current().isKnown)
  expect(startLog.lines.map(({ message }) => message)).toEqual([
    'failed to prepare database',
    'routing state unavailable at start',
  ])
  preparation.resolve()
  await expect.poll(() => started.current().isKnown).toBe(true)
  expect([attempts, seen]).toEqual([3, [false]])
  await close()
})

it('followDatabase can be closed while the database is being prepared, and reads nothing afterwards', async () => {
  const preparation = Promise.withResolvers<void>()
  const { started, close } = await startFollowing(database.url, 50, () => preparation.promise)
  await close()
  preparation.resolve()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(started.current().isKnown).toBe(false)
})

it('followDatabase reads no state from a database without migrations, and follows it once it is migrated', async () => {
  const empty = await createTestDatabase({ isMigrated: false })
  const { started, close } = await startFollowing(empty.url, 10_000)
  expect(started.current()).toMatchObject({ epoch: 0, isKnown: true, isStale: false })
  expect(started.current().views.get('libraries.list')?.side).toBe('native')
  await migrateDatabase(empty.directUrl)
  const epoch = await storeRouteState(empty, { scope: 'libraries.list', killed: true, state: 'proxy' })
  await expect.poll(() => started.current().epoch).toBe(epoch)
  await empty.sql`drop table routing_epoch`
  await expect.poll(() => started.current().isStale, { timeout: 10_000 }).toBe(true)
  expect(started.current().views.get('libraries.list')?.side).toBe('core')
  await close()
  await empty.close()
})

it('followDatabase deletes instances that have not reported for an hour, and overrides that ended long ago', async () => {
  await database.sql`
    insert into gateway_instance (id, build, keys, epoch, beat_at) values
      ('gone', 'b', '{}', 0, now() - interval '2 hours'), ('silent', 'b', '{}', 0, now() - interval '30 minutes')`
  await database.sql`
    insert into account_override (account_id, scope, side, reason, who, until)
    values ('acct_old', '*', 'core', 'test', 'tester', now() - interval '2 days')`
  const { close } = await startFollowing(database.url, 10_000)
  const findOverride = () => database.sql`select scope from account_override where account_id = 'acct_old'`
  await expect.poll(findOverride).toEqual([])
  const kept = await database.sql`select id from gateway_instance where id in ('gone', 'silent')`
  expect(kept).toEqual([{ id: 'silent' }])
  await close()
})
