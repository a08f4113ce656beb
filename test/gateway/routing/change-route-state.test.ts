import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { labels } from '#contracts/shared/row.ts'
import {
  deleteInstance,
  deleteStaleInstances,
  listLiveInstances,
  upsertInstance,
} from '#db/queries/gateway-instances.ts'
import { findRoutingEpoch, routingChannel } from '#db/queries/route-states.ts'
import { changeRouteState, type RequestedChange } from '#gateway/routing/change-route-state.ts'
import { isTwoSided } from '#migration/routing/route-scope.ts'
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

describe('a change of the routing state', () => {
  it('gets an epoch of its own, in the order of the audit, however many are made at once', async () => {
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

  it('that is automatic respects a hold of the area or of all routes', async () => {
    const rollback = { change: { kind: 'rollback' }, who: 'auto' } as const
    const label = labels.find((known) => known.startsWith('libraries.shares.'))
    if (!label) throw new Error('the table has no such route')
    for (const scope of ['libraries.*', '*'] as const) {
      await apply({ scope, change: { kind: 'hold' } })
      expect(await apply({ ...rollback, scope: label })).toEqual({
        kind: 'illegal',
        reason: `${scope} is held: only a person can move ${label}`,
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

describe('an instance', () => {
  it('counts as live for 15 seconds after its last beat, and is deleted after an hour', async () => {
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
