import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#db/client/connection.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

const readers = [
  'tracks.list',
  'tracks.detail',
  'packs.list',
  'packs.detail',
  'libraries.list',
  'libraries.detail',
]

describe("a kill while operators' reads hang", () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  let blocker: Database
  beforeAll(() => {
    blocker = openDatabase(gateway.database.url, { connections: 1, prepare: gateway.database.prepare })
  })
  afterAll(() => blocker.close())

  const read = (label: string) =>
    gateway.requestAdmin('GET', `/api/routes/${label}/evidence`, { token: operatorTokens.rob })
  const kill = () =>
    gateway.requestAdmin('POST', '/api/routes/tracks.*/changes', {
      token: operatorTokens.alice,
      body: { change: { kind: 'kill' }, reason: 'a test' },
    })

  it('is applied even if the reads occupy every connection that reads may use', async () => {
    const blocked = await blocker.db.transaction(async (tx) => {
      await tx.execute(sql`lock table contract_result, mismatch in access exclusive mode`)
      const reading = readers.map(read)
      return { reading, killed: await kill() }
    })
    expect(blocked.killed).toMatchObject({ status: 200, body: { adoption: { instances: 1, adopted: 1 } } })
    await Promise.all(blocked.reading)
  })
})
