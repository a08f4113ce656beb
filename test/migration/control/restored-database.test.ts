import { randomUUID } from 'node:crypto'
import type { TransactionSql } from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { labels, labelsOf } from '#contracts/shared/row.ts'
import { changeRouteState, type RequestedChange } from '#migration/control/change-route-state.ts'
import { followDatabase } from '#migration/control/follow-database.ts'
import { acceptRestore, storeStops } from '#migration/control/restored-database.ts'
import {
  createRoutingState,
  emptyStoredRouting,
  type RoutingState,
} from '#migration/control/routing-state.ts'
import type { RouteScope } from '#migration/model/route-scope.ts'
import { handlers } from '#native-routes/index.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type DatabaseRelay, startDatabaseRelay } from '#test/support/database-relay.ts'
import { createRecordingLog, type RecordingLog } from '#test/support/recording-log.ts'

const evidenceKeys = new Map<Label, string>(labels.map((label) => [label, 'key']))
const tables = ['route_state', 'routing_epoch', 'route_audit', 'account_override'] as const

interface Instance {
  readonly log: RecordingLog
  readonly state: RoutingState
  readonly close: () => Promise<void>
}

let database: TestDatabase
let relay: DatabaseRelay
const instances: Instance[] = []

const startInstance = async (): Promise<Instance> => {
  const log = createRecordingLog()
  const state = createRoutingState({
    settings: {
      GATEWAY_KILL: [],
      GATEWAY_ROUTES: [],
      GATEWAY_SECRET: 'sixteen-characters',
      CORE_BASE_URL: ['http://core.test'],
    },
    handled: labelsOf(handlers),
    log,
  })
  const following = await followDatabase({
    settings: { DATABASE_URL: relay.url, DATABASE_PREPARE: true },
    state,
    build: { id: 'build-1', keys: evidenceKeys },
    log,
    timing: { pollIntervalMs: 50, staleAfterMs: 200, beatIntervalMs: 100 },
  })
  const instance = { log, state, close: following.close }
  instances.push(instance)
  return instance
}

const change = (requested: Omit<RequestedChange, 'who' | 'reason'>) =>
  database.db.transaction((tx) =>
    changeRouteState(tx, { who: 'alice', reason: 'a test', ...requested }, evidenceKeys),
  )

const kill = (scope: RouteScope) => change({ scope, change: { kind: 'kill' } })

const backUp = async () => {
  for (const table of tables) await database.sql.unsafe(`create table backup_${table} as table ${table}`)
}

/** Replaces the routing state and its audit with the backup, as restoring the database does. */
const restoreIn = async (tx: TransactionSql) => {
  // Disables the triggers that protect the audit.
  await tx`set local session_replication_role = replica`
  for (const table of tables)
    await tx.unsafe(`delete from ${table}; insert into ${table} table backup_${table}`)
}

const restore = () => database.sql.begin(restoreIn)

/** Restores the backup, and makes changes until the epoch is the same as before. */
const restoreAndCatchUp = async () => {
  const epoch = await readEpoch()
  await database.sql.begin(async (tx) => {
    await restoreIn(tx)
    await tx`update routing_epoch set epoch = ${epoch}`
    await tx`
      insert into route_audit (id, who, scope, action, reason, epoch)
      values (${randomUUID()}, 'alice', 'acct', 'override', 'a test', ${epoch})`
  })
}

const restoreDuringOutage = async () => {
  relay.setUnavailable(true)
  await restore()
  relay.setUnavailable(false)
}

const readEpoch = async () => (await database.sql`select epoch from routing_epoch`)[0]?.epoch as number

const hasAdopted = async ({ state }: Instance) =>
  expect.poll(() => state.current().epoch).toBe(await readEpoch())

const readState = async (scope: RouteScope) =>
  (await database.sql`select * from route_state where scope = ${scope}`)[0]

const sideOf = ({ state }: Instance, label: Label) => state.current().views.get(label)?.side

const restoredLines = () =>
  instances.flatMap(({ log }) => log.lines.filter(({ message }) => message === 'routing database restored'))

beforeEach(async () => {
  database = await createTestDatabase()
  relay = await startDatabaseRelay(database.url)
})

afterEach(async () => {
  for (const { close } of instances.splice(0)) await close()
  await relay.close()
  await database.close()
})

describe('a database that is restored from an older backup', () => {
  it.each([
    ['during an outage', restoreDuringOutage],
    ['between two polls', restore],
    ['and changed as often as before between two polls', restoreAndCatchUp],
  ])(
    'gets back the kills that the backup lacks if restored %s, and native never serves those routes',
    async (_, restoreDatabase) => {
      const instance = await startInstance()
      await change({ scope: 'libraries.list', change: { kind: 'hold' } })
      await backUp()
      await kill('libraries.list')
      await kill('tracks.*')
      await hasAdopted(instance)
      const known = instance.state.current().epoch
      const sides = new Set<string | undefined>()
      instance.state.onChange(() => sides.add(sideOf(instance, 'libraries.list')))
      await restoreDatabase()
      await expect.poll(() => instance.state.stored()?.isRestored).toBe(true)
      expect(sides).toEqual(new Set(['core']))
      expect(sideOf(instance, 'tracks.tags.detail')).toBe('core')
      expect(await readEpoch()).toBeGreaterThan(known)
      expect(await readState('libraries.list')).toMatchObject({ killed: true, held: true })
      expect(await readState('tracks.*')).toMatchObject({ killed: true })
      expect(await readState('*')).toMatchObject({ held: true, killed: false })
      expect(restoredLines()).toMatchObject([
        { fields: { epoch: known, scopes: ['*', 'libraries.list', 'tracks.*'] } },
      ])
    },
  )

  it('gets back a stop made after the backup, including which code failed', async () => {
    const instance = await startInstance()
    await change({ scope: 'libraries.list', change: { kind: 'ramp', weightBp: 10_000 } })
    await backUp()
    await change({ scope: 'libraries.list', change: { kind: 'rollback' } })
    await hasAdopted(instance)
    await restoreDuringOutage()
    await expect.poll(() => instance.state.stored()?.isRestored).toBe(true)
    expect(await readState('libraries.list')).toMatchObject({
      state: 'shadow',
      weight_bp: 0,
      failed_evidence_key: 'key',
    })
  })

  it.each([
    ['of code that had already been stopped before the backup', evidenceKeys, 'key'],
    ['that names no code, as after timeouts', new Map<Label, string>(), null],
  ])('gets back a stop %s', async (_, stoppedKeys, failedEvidenceKey) => {
    const ramp = { scope: 'libraries.list', change: { kind: 'ramp', weightBp: 2500 } } as const
    const stop = (keys: ReadonlyMap<Label, string>) =>
      database.db.transaction((tx) =>
        changeRouteState(
          tx,
          { scope: 'libraries.list', change: { kind: 'rollback' }, who: 'auto', reason: 'a test' },
          keys,
        ),
      )
    const instance = await startInstance()
    if (failedEvidenceKey !== null) await stop(stoppedKeys)
    await change(ramp)
    await backUp()
    await stop(stoppedKeys)
    await hasAdopted(instance)
    const sides = new Set<string | undefined>()
    instance.state.onChange(() => sides.add(sideOf(instance, 'libraries.list')))
    await restoreDuringOutage()
    await expect.poll(() => instance.state.stored()?.isRestored).toBe(true)
    expect(sides).toEqual(new Set(['core']))
    expect(await readState('libraries.list')).toMatchObject({
      state: 'shadow',
      weight_bp: 0,
      failed_evidence_key: failedEvidenceKey,
    })
  })

  it('gets each kill back once, however many instances know about it', async () => {
    await backUp()
    await kill('tracks.*')
    const [first, second] = [await startInstance(), await startInstance()]
    await restoreDuringOutage()
    for (const { state } of [first, second]) await expect.poll(() => state.stored()?.isRestored).toBe(true)
    expect(restoredLines()).toHaveLength(1)
    expect(sideOf(first, 'tracks.tags.detail')).toBe('core')
    expect(sideOf(second, 'tracks.tags.detail')).toBe('core')
  })

  it('needs to be accepted only once, which ends the hold that the restore caused, but not the kills', async () => {
    const accept = () =>
      database.db.transaction((tx) => acceptRestore(tx, { who: 'alice', reason: 'looked at all routes' }))
    const instance = await startInstance()
    expect(await accept()).toBeNull()
    await backUp()
    await kill('tracks.*')
    await hasAdopted(instance)
    await restoreDuringOutage()
    await expect.poll(() => instance.state.stored()?.isRestored).toBe(true)
    expect(await accept()).toBe(instance.state.current().epoch + 1)
    await expect.poll(() => instance.state.stored()?.isRestored).toBe(false)
    expect(await readState('*')).toMatchObject({ held: false })
    expect(sideOf(instance, 'tracks.tags.detail')).toBe('core')
    expect(await accept()).toBeNull()
  })

  it('is no longer held once accepted, even if two instances that knew different epochs held it', async () => {
    const log = createRecordingLog()
    const known = { ...emptyStoredRouting, changeId: 'a lost change' }
    for (const epoch of [10, 12]) await storeStops(database.db, { ...known, epoch }, log)
    expect(log.lines.map(({ fields }) => fields.epoch)).toEqual([10, 12])
    expect(await readState('*')).toMatchObject({ held: true })
    await database.db.transaction((tx) => acceptRestore(tx, { who: 'alice', reason: 'looked' }))
    expect(await readState('*')).toMatchObject({ held: false })
  })

  it("keeps an operator's own hold on all routes when the restore is accepted", async () => {
    const instance = await startInstance()
    await backUp()
    await change({ scope: '*', change: { kind: 'hold' } })
    await hasAdopted(instance)
    await restoreDuringOutage()
    await expect.poll(() => instance.state.stored()?.isRestored).toBe(true)
    await database.db.transaction((tx) => acceptRestore(tx, { who: 'alice', reason: 'looked' }))
    expect(await readState('*')).toMatchObject({ held: true })
  })

  it.each([
    ['keeps', 'hold', true],
    ['does not bring back', 'release', false],
  ] as const)("%s an operator's hold on all routes after a %s since the restore", async (_, last, held) => {
    const log = createRecordingLog()
    const known = { ...emptyStoredRouting, changeId: 'a lost change' }
    await change({ scope: '*', change: { kind: 'hold' } })
    await storeStops(database.db, { ...known, epoch: 10 }, log)
    await change({ scope: '*', change: { kind: 'release' } })
    if (last === 'hold') await change({ scope: '*', change: { kind: 'hold' } })
    await storeStops(database.db, { ...known, epoch: 20 }, log)
    await database.db.transaction((tx) => acceptRestore(tx, { who: 'alice', reason: 'looked' }))
    expect(await readState('*')).toMatchObject({ held })
  })

  it('gets nothing back from an instance that has just started', async () => {
    await backUp()
    await kill('tracks.*')
    await restore()
    const instance = await startInstance()
    expect(instance.state.stored()).toMatchObject({ isRestored: false, states: [] })
    expect(restoredLines()).toEqual([])
  })
})

describe('an outage without a restore', () => {
  it('changes nothing', async () => {
    const instance = await startInstance()
    await kill('tracks.*')
    await hasAdopted(instance)
    const epoch = await readEpoch()
    relay.setUnavailable(true)
    await expect.poll(() => instance.state.current().isStale).toBe(true)
    relay.setUnavailable(false)
    await expect.poll(() => instance.state.current().isStale).toBe(false)
    expect(sideOf(instance, 'tracks.tags.detail')).toBe('core')
    expect(await readEpoch()).toBe(epoch)
    expect(restoredLines()).toEqual([])
  })
})
