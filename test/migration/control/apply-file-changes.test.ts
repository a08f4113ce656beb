import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { labels } from '#contracts/shared/row.ts'
import { findRoutingEpoch } from '#db/queries/routing/route-states.ts'
import { applyFileChanges } from '#migration/control/apply-file-changes.ts'
import type { FileChange } from '#migration/model/routing-file.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const evidenceKeys = new Map<Label, string>(labels.map((label) => [label, 'key']))
const shadow = (scope: Label, version = 0): FileChange => ({
  kind: 'state',
  scope,
  change: { kind: 'shadow' },
  version,
})
const apply = async (changes: readonly FileChange[], epoch?: number) =>
  database.db.transaction(async (tx) =>
    applyFileChanges(
      tx,
      { changes, epoch: epoch ?? (await findRoutingEpoch(tx)), who: 'alice', reason: 'a test' },
      evidenceKeys,
    ),
  )
const readStored = async () => [
  ...(await database.sql`select scope, state from route_state`),
  ...(await database.sql`select epoch from routing_epoch`),
  ...(await database.sql`select count(*)::int from route_audit`),
  ...(await database.sql`select count(*)::int from pgboss.job`),
]

describe('the changes in a routing file', () => {
  it('are not made if any of them is refused, and every refused change is named', async () => {
    const before = await readStored()
    const changes = [
      shadow('libraries.create'),
      shadow('packs.list', 3),
      shadow('tracks.list'),
      { kind: 'override', scope: 'tracks.list', accountId: 'acct_1', side: 'core', until: null },
    ] as const satisfies readonly FileChange[]
    await expect(apply(changes)).rejects.toMatchObject({
      code: 'route_change_illegal',
      body: {
        message: [
          'Nothing was changed, because these changes in the file are not allowed:',
          'libraries.create cannot be shadowed, because it has effects: ramp it instead.',
          'packs.list has version 0.',
        ].join('\n'),
      },
    })
    expect(await readStored()).toEqual(before)
  })

  it('are not made if the state has changed since they were planned', async () => {
    const before = await readStored()
    expect(await apply([shadow('tracks.list')], 99)).toBeNull()
    expect(await readStored()).toEqual(before)
  })

  it('are made one by one, each with its own epoch', async () => {
    const epoch = await findRoutingEpoch(database.db)
    const mode: FileChange = {
      kind: 'state',
      scope: 'tracks.list',
      change: { kind: 'mode', mode: 'auto' },
      version: 1,
    }
    expect(await apply([shadow('packs.list'), shadow('tracks.list'), mode])).toBe(epoch + 3)
  })
})
