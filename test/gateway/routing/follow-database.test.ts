import { afterAll, beforeAll, expect, it } from 'vitest'
import { followDatabase } from '#gateway/routing/follow-database.ts'
import { createRoutingState } from '#gateway/routing/routing-state.ts'
import { handlers } from '#native-routes/index.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type DatabaseRelay, startDatabaseRelay } from '#test/support/database-relay.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { storeRouteState } from '#test/support/routing.ts'

const log = createRecordingLog()
const state = createRoutingState({
  settings: {
    GATEWAY_KILL: [],
    GATEWAY_ROUTES: [],
    GATEWAY_SECRET: 'sixteen-characters',
    CORE_BASE_URL: 'http://core.test',
  },
  handlers,
  log,
})
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
    timing: { pollIntervalMs: 50, staleAfterMs: 200, beatIntervalMs: 100 },
  })
})

afterAll(async () => {
  await following.close()
  await relay.close()
  await database.close()
})

const view = () => state.current().views.get('libraries.list')

it('has read the state when it resolves', () => {
  expect(state.current()).toMatchObject({ epoch: 1, isStale: false })
  expect(view()).toMatchObject({ side: 'split', weightBp: 100 })
})

it('keeps the last state while the database is unavailable, reports it as stale, and then follows again', async () => {
  relay.setUnavailable(true)
  await expect.poll(() => state.current().isStale).toBe(true)
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

it('tells its listeners about each view', async () => {
  const epochs: number[] = []
  const stop = state.onChange(({ epoch }) => epochs.push(epoch))
  await storeRouteState(database, { scope: 'libraries.list', killed: true, state: 'proxy' })
  await expect.poll(() => epochs).toContain(3)
  stop()
})

it('adopts the end of an override without a change', async () => {
  const until = new Date(Date.now() + 700)
  await database.sql`
    insert into account_override (account_id, scope, side, reason, who, until)
    values ('acct_1', 'libraries.detail', 'core', 'test', 'tester', ${until})`
  await storeRouteState(database, { scope: 'tracks.*' })
  const isSplit = () => state.current().views.get('libraries.detail')?.side === 'split'
  await expect.poll(isSplit, { interval: 10 }).toBe(true)
  await expect.poll(isSplit, { timeout: 5000 }).toBe(false)
})

it('keeps reporting the instance with the keys of its handlers', async () => {
  const find = () => database.sql`select keys, beat_at from gateway_instance`
  const [before] = await find()
  expect(before?.keys).toEqual({ 'libraries.list': 'key-1' })
  await expect.poll(async () => (await find())[0]?.beat_at > before?.beat_at).toBe(true)
})
