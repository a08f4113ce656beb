import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

describe('packs.invitations.list', () => {
  const gateway = startTestGateway({ nativeLabels: ['packs.invitations.list'] })

  const start = async () => {
    const owner = await gateway.signUp({ plan: 'free' })
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    return { owner, packId, path: `/v1/packs/${packId}/invitations` }
  }

  it("returns only this pack's invitations, newest first", async () => {
    const { owner, packId, path } = await start()
    const { packId: otherPackId } = await insertPackOf(gateway.database.sql, owner.accountId)
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
    await gateway.database.sql`
      insert into pack_invitations (id, pack_id, email, status, provider_email_id, created_at) values
      (${first}, ${packId}, 'ann@example.test', 'opened', ${`email_${first}`}, now() - interval '1 minute'),
      (${second}, ${packId}, 'bob@example.test', 'queued', null, now()),
      (${crypto.randomUUID()}, ${otherPackId}, 'eve@example.test', 'queued', null, now())`
    const { status, headers, body } = await owner.get(path)
    expect([status, headers.get('x-service-core-runtime')]).toEqual([200, 'native'])
    const createdAt = expect.stringMatching(/Z$/)
    expect(body).toEqual({
      records: [
        { id: second, packId, email: 'bob@example.test', status: 'queued', createdAt },
        { id: first, packId, email: 'ann@example.test', status: 'opened', createdAt },
      ],
    })
  })

  it("returns 404 for another account's pack", async () => {
    const { path } = await start()
    const { status, body } = await (await gateway.signUp()).get(path)
    expect([status, body]).toEqual([404, errorBody('pack_not_found')])
  })
})
