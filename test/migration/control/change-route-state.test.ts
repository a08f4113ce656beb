import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import {
  deleteInstance,
  deleteStaleInstances,
  listLiveInstances,
  upsertInstance,
} from '#db/queries/routing/gateway-instances.ts'
import { listRouteAudit } from '#db/queries/routing/route-audit.ts'
import { findRoutingEpoch, routingChannel } from '#db/queries/routing/route-states.ts'
import { changeRouteState, type RequestedChange } from '#migration/control/change-route-state.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const evidenceKeys = new Map<Label, string>(labels.map((label) => [label, 'key']))

const apply = (requested: Omit<RequestedChange, 'who' | 'reason'> & Partial<RequestedChange>) =>
  database.db.transaction((tx) =>
    changeRouteState(tx, { who: 'alice', reason: 'a test', ...requested }, evidenceKeys),
  )

describe('a change to the routing state', () => {
  it('gets its own epoch, in audit order, even if many changes are concurrent', async () => {
    const first = await findRoutingEpoch(database.db)
    const scopes = labels.filter(isTwoSided).slice(0, 20)
    const outcomes = await Promise.all(scopes.map((scope) => apply({ scope, change: { kind: 'hold' } })))
    const epochs = outcomes.map((outcome) => (outcome.kind === 'changed' ? outcome.epoch : 0))
    expect(epochs.toSorted((left, right) => left - right)).toEqual(
      scopes.map((_, index) => first + index + 1),
    )
    const audit = await database.sql`select scope, epoch from route_audit where epoch > ${first}`
    expect(new Map(audit.map(({ scope, epoch }) => [scope, epoch]))).toEqual(
      new Map(scopes.map((scope, index) => [scope, epochs[index]])),
    )
  })

  it('notifies the instances of its epoch when it commits, and only then', async () => {
    const listener = postgres(database.url, { max: 1 })
    const received: string[] = []
    await listener.listen(routingChannel, (payload) => received.push(payload))
    const failed = database.db.transaction(async (tx) => {
      await changeRouteState(
        tx,
        { scope: '*', change: { kind: 'kill' }, who: 'alice', reason: 'a test' },
        evidenceKeys,
      )
      throw new Error('the process dies before the commit')
    })
    await expect(failed).rejects.toThrow('before the commit')
    const outcome = await apply({ scope: '*', change: { kind: 'hold' } })
    await expect.poll(() => received).toEqual([String(outcome.kind === 'changed' ? outcome.epoch : 0)])
    expect(await database.sql`select killed, held from route_state where scope = '*'`).toEqual([
      { killed: false, held: true },
    ])
    await apply({ scope: '*', change: { kind: 'release' } })
    await listener.end()
  })

  it('is not made if its audit entry cannot be stored', async () => {
    const before = await findRoutingEpoch(database.db)
    const { sql } = database
    await sql`alter table route_audit add constraint no_bob check (who <> 'bob')`
    await expect(apply({ scope: 'tracks.*', change: { kind: 'kill' }, who: 'bob' })).rejects.toThrow()
    await sql`alter table route_audit drop constraint no_bob`
    expect(await sql`select 1 from route_state where scope = 'tracks.*'`).toHaveLength(0)
    expect(await findRoutingEpoch(database.db)).toBe(before)
  })

  it('is rejected if it is automatic while its area or all routes are held', async () => {
    const rollback = { change: { kind: 'rollback' }, who: 'auto' } as const
    const label = labels.find((known) => known.startsWith('libraries.shares.'))
    if (!label) throw new Error('the table has no such route')
    for (const scope of ['libraries.*', '*'] as const) {
      await apply({ scope, change: { kind: 'hold' } })
      expect(await apply({ ...rollback, scope: label })).toEqual({
        kind: 'illegal',
        reason: `${scope} is held, so only a person can move ${label}`,
      })
      await apply({ scope, change: { kind: 'release' } })
    }
    expect(await apply({ ...rollback, scope: label })).toMatchObject({
      kind: 'changed',
      state: { weightBp: 0, failedEvidenceKey: 'key' },
    })
    const [entry] = await database.sql`select who, action from route_audit where scope = ${label}`
    expect(entry).toEqual({ who: 'auto', action: 'rollback' })
  })
})

describe('a higher percentage for code that was stopped automatically', () => {
  it('is applied with a warning, even if only another instance runs that code', async () => {
    const { db, sql } = database
    const ramp = async (scope: Label, weightBp: number) => {
      const outcome = await apply({ scope, change: { kind: 'ramp', weightBp } })
      if (outcome.kind !== 'changed') throw new Error(outcome.kind)
      return outcome.warnings
    }
    const warning = (scope: Label, key: string) => [
      `The current code of ${scope} (${key}) was stopped automatically. It will be stopped again unless the cause was elsewhere.`,
    ]
    expect(await ramp('tracks.create', 100)).toEqual([])
    await apply({ scope: 'tracks.create', change: { kind: 'rollback' }, who: 'auto' })
    expect(await ramp('tracks.create', 200)).toEqual(warning('tracks.create', 'key'))
    expect(await ramp('tracks.create', 100)).toEqual([])
    expect(await ramp('tracks.remove', 100)).toEqual([])
    await sql`update route_state set failed_evidence_key = 'other' where scope = 'tracks.remove'`
    expect(await ramp('tracks.remove', 200)).toEqual([])
    await upsertInstance(db, { id: 'i1', build: 'b', keys: { 'tracks.remove': 'other' }, epoch: 1 })
    expect(await ramp('tracks.remove', 300)).toEqual(warning('tracks.remove', 'other'))
    await sql`delete from gateway_instance`
  })
})

describe('resuming a killed route', () => {
  it('restores no percentage if an instance runs different code from the code it was chosen for', async () => {
    const { db, sql } = database
    const scope = 'libraries.shares.list'
    await sql`delete from route_state`
    await apply({ scope, change: { kind: 'ramp', weightBp: 2500 } })
    await apply({ scope, change: { kind: 'kill' } })
    await upsertInstance(db, { id: 'i1', build: 'b', keys: { [scope]: 'key' }, epoch: 1 })
    await upsertInstance(db, { id: 'i2', build: 'c', keys: { [scope]: 'other' }, epoch: 1 })
    expect(await apply({ scope, change: { kind: 'resume' } })).toMatchObject({
      state: { killed: false, weightBp: 0 },
    })
    await sql`delete from gateway_instance`
  })
})

describe('resuming a killed area', () => {
  const kill = { kind: 'kill' } as const
  const resume = { kind: 'resume' } as const
  const store = (scope: Label, changes: object) => {
    const { sql } = database
    const row = { state: 'native', weight_bp: 10_000, mode: 'observe', version: 3, ...changes }
    return sql`insert into route_state ${sql({ scope, ...row })}`
  }
  const readStates = async () => {
    const rows = await database.sql`
      select scope, state, weight_bp as "weightBp", version from route_state where scope like 'libraries.%' and version > 2`
    return new Map(rows.map(({ scope, ...state }) => [scope, state]))
  }
  const canary = { state: 'canary', weight_bp: 2500 }
  const native = { state: 'native', weightBp: 10_000, version: 3 }

  it('does not return a route to native if its code has failed or changed since its percentage was chosen', async () => {
    const { sql } = database
    await sql`delete from route_state`
    await store('libraries.list', { ...canary, evidence_key: 'key' })
    await store('libraries.detail', { ...canary, evidence_key: 'earlier' })
    await store('libraries.update', { evidence_key: 'key', failed_evidence_key: 'key' })
    await store('libraries.create', { evidence_key: 'earlier', killed: true })
    await store('libraries.remove', {})
    await store('libraries.tracks.add', { failed_evidence_key: 'key' })
    await store('libraries.tracks.remove', { state: 'proxy', weight_bp: 0, evidence_key: 'earlier' })
    await store('packs.list', { evidence_key: 'earlier' })
    await apply({ scope: 'libraries.*', change: kill })
    const outcome = await apply({ scope: 'libraries.*', change: resume, reason: 'fixed' })

    expect(await readStates()).toEqual(
      new Map([
        ['libraries.list', { state: 'canary', weightBp: 2500, version: 3 }],
        ['libraries.detail', { state: 'shadow', weightBp: 0, version: 4 }],
        ['libraries.update', { state: 'proxy', weightBp: 0, version: 4 }],
        ['libraries.create', native],
        ['libraries.remove', native],
        ['libraries.tracks.add', { state: 'proxy', weightBp: 0, version: 4 }],
        ['libraries.tracks.remove', { state: 'proxy', weightBp: 0, version: 3 }],
      ]),
    )
    if (outcome.kind !== 'changed') throw new Error(outcome.kind)
    expect(outcome.demoted.map(({ scope, evidenceKey }) => [scope, evidenceKey]).toSorted()).toEqual([
      ['libraries.detail', 'key'],
      ['libraries.tracks.add', 'key'],
      ['libraries.update', 'key'],
    ])
    const audit = await sql`
      select scope, action, reason, before->>'stage' as before, after->>'stage' as after
      from route_audit where epoch = ${outcome.epoch} order by scope collate "C"`
    expect(audit.map(Object.values)).toEqual([
      ['libraries.*', 'resume', 'fixed', null, null],
      ['libraries.detail', 'resume', 'fixed', 'canary', 'shadow'],
      ['libraries.tracks.add', 'resume', 'fixed', 'native', 'proxy'],
      ['libraries.update', 'resume', 'fixed', 'native', 'proxy'],
    ])
    const pageOf = async (limit: number, before?: number) =>
      (await listRouteAudit(database.db, { limit, before })).map(({ epoch }) => epoch - outcome.epoch)
    expect(await pageOf(2)).toEqual([0, 0, 0, 0])
    expect(await pageOf(5)).toEqual([0, 0, 0, 0, -1])
    expect(await pageOf(1, outcome.epoch)).toEqual([-1])
  })

  it('compares the code of every live instance, and is rejected while one lacks a handler', async () => {
    const { db, sql } = database
    await sql`delete from route_state`
    await store('libraries.list', { ...canary, evidence_key: 'key' })
    await store('libraries.detail', { ...canary, evidence_key: 'key' })
    await store('libraries.remove', {})
    await apply({ scope: 'libraries.*', change: kill })
    const report = (keys: Record<string, string>) =>
      upsertInstance(db, { id: 'i1', build: 'b', keys, epoch: 1 })
    await report({ 'libraries.list': 'other' })
    const rejected = await apply({ scope: 'libraries.*', change: resume })
    expect(rejected).toEqual({
      kind: 'illegal',
      reason:
        'these running instances cannot serve libraries.detail natively: i1; to resume the other routes, first kill libraries.detail on its own',
    })
    expect((await readStates()).get('libraries.list')).toMatchObject({ state: 'canary' })
    await report({ 'libraries.list': 'other', 'libraries.detail': 'key' })
    expect(await apply({ scope: 'libraries.*', change: resume })).toMatchObject({
      demoted: [{ scope: 'libraries.list', stage: 'shadow', weightBp: 0 }],
    })
    expect(await readStates()).toEqual(
      new Map([
        ['libraries.detail', { state: 'canary', weightBp: 2500, version: 3 }],
        ['libraries.list', { state: 'shadow', weightBp: 0, version: 4 }],
        ['libraries.remove', native],
      ]),
    )
    await deleteInstance(db, 'i1')
  })

  it('leaves routes unchanged while another kill still applies to them', async () => {
    const { sql } = database
    await sql`delete from route_state`
    await store('libraries.detail', { ...canary, evidence_key: 'earlier' })
    for (const scope of ['libraries.*', '*'] as const) await apply({ scope, change: kill })
    expect(await apply({ scope: '*', change: resume })).toMatchObject({ demoted: [] })
    expect((await readStates()).get('libraries.detail')).toMatchObject({ state: 'canary' })
    expect(await apply({ scope: 'libraries.*', change: resume })).toMatchObject({
      demoted: [{ scope: 'libraries.detail', stage: 'shadow', weightBp: 0 }],
    })
  })
})

describe('an instance', () => {
  it('counts as live for 15 seconds after its last report, and is deleted after an hour', async () => {
    const { db, sql } = database
    const beat = (id: string, epoch: number) =>
      upsertInstance(db, { id, build: 'b', keys: { 'tracks.list': 'key' }, epoch })
    const liveIds = async () => (await listLiveInstances(db)).map(({ id, epoch }) => [id, epoch])
    await Promise.all([beat('a', 1), beat('b', 1), beat('c', 1)])
    await sql`update gateway_instance set beat_at = now() - interval '16 seconds' where id = 'b'`
    await sql`update gateway_instance set beat_at = now() - interval '2 hours' where id = 'c'`
    await beat('a', 2)
    expect(await liveIds()).toEqual([['a', 2]])
    await beat('b', 2)
    expect(await liveIds()).toEqual([
      ['a', 2],
      ['b', 2],
    ])
    await deleteStaleInstances(db)
    await deleteInstance(db, 'a')
    expect(await sql`select id, keys from gateway_instance`).toEqual([
      { id: 'b', keys: { 'tracks.list': 'key' } },
    ])
  })
})
