import type postgres from 'postgres'
import { beforeEach, describe, expect, it } from 'vitest'
import { update } from '#contracts/libraries.ts'
import { updateLibrary } from '#db/queries/libraries/libraries.ts'
import { defineRoute, type RouteInput } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import type { Ports } from '#native-routes/ports.ts'
import { lockScope, type ScopeRequest } from '#native-routes/scopes.ts'
import { createLibrary, insertTrackOf, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

let beforeChange = async () => {}

const changeLibrary = defineRoute(
  update,
  ({ library, body }: RouteInput<'libraries.update', typeof update>, { db }: Ports) =>
    db.tx(async (tx) => {
      await beforeChange()
      const changed = await updateLibrary(tx, library.id, body)
      if (!changed) throw new Error('the name exists')
      return changed
    }),
)

describe('a write that checks its authorization again in its transaction', () => {
  const gateway = startTestGateway({ handlers: { ...handlers, 'libraries.update': changeLibrary } })

  beforeEach(() => {
    beforeChange = async () => {}
  })

  const countWaiting = async () => {
    const [waiting] = await gateway.database.sql<[{ count: number }]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.count
  }
  const waitForOneWaiter = () => expect.poll(countWaiting, { interval: 10 }).toBe(1)

  const sharedLibrary = async () => {
    const [owner, admin] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(owner)
    const { id: shareId } = await shareLibrary(owner, library, admin, 'admin')
    return { owner, admin, path: `/v1/libraries/${library.id}`, libraryId: library.id, shareId }
  }

  /** Revokes an authorization on another connection, and commits once a request is waiting for the lock. */
  const revokeDuring = async (
    revokeBy: (sql: postgres.TransactionSql) => Promise<unknown>,
    send: () => ReturnType<TestAccount['post']>,
  ) => {
    let response: ReturnType<TestAccount['post']> | undefined
    await gateway.database.sql.begin(async (sql) => {
      await revokeBy(sql)
      response = send()
      await waitForOneWaiter()
    })
    const { status, body } = await response!
    return [status, body.error]
  }

  const revoke = (sql: postgres.Sql | postgres.TransactionSql, shareId: string) => sql`
    update library_shares set access_type = 'revoked', invite_status = 'revoked', revoked_at = now()
    where id = ${shareId}`

  it('makes a revocation wait until the write is committed', async () => {
    const { admin, path, libraryId, shareId } = await sharedLibrary()
    const { sql } = gateway.database
    let revoked: Promise<unknown> | undefined
    let isRevoked = false
    beforeChange = async () => {
      revoked = revoke(sql, shareId).then(() => {
        isRevoked = true
      })
      await waitForOneWaiter()
      expect(isRevoked).toBe(false)
    }
    expect((await admin.patch(path, { name: 'Renamed' })).status).toBe(200)
    await revoked
    expect(await sql`select name from libraries where id = ${libraryId}`).toEqual([{ name: 'Renamed' }])
    expect((await admin.patch(path, { name: 'Again' })).status).toBe(404)
  })

  it('is rejected if the share was revoked first', async () => {
    const { admin, path, shareId } = await sharedLibrary()
    const result = await revokeDuring(
      (sql) => revoke(sql, shareId),
      () => admin.patch(path, { name: 'Renamed' }),
    )
    expect(result).toEqual([404, 'library_not_found'])
  })

  it('is rejected if the library was deleted first', async () => {
    const { owner, path, libraryId } = await sharedLibrary()
    const result = await revokeDuring(
      (sql) => sql`delete from libraries where id = ${libraryId}`,
      () => owner.patch(path, { name: 'Renamed' }),
    )
    expect(result).toEqual([404, 'library_not_found'])
  })

  it('is rejected if the track was deleted first', async () => {
    const owner = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
    const result = await revokeDuring(
      (sql) => sql`delete from tracks where id = ${trackId}`,
      () => owner.post(`/v1/tracks/${trackId}/share-links`),
    )
    expect(result).toEqual([404, 'track_not_found'])
  })

  const file = { contentType: 'audio/wav', fileName: 'a.wav', byteSize: 1024 }
  it.each([
    ['patch', 'metadata', { title: 'Renamed' }, 200],
    ['put', 'lyrics', { text: 'La la' }, 200],
    ['post', 'share-links', {}, 201],
    ['post', 'versions/uploads', file, 201],
  ] as const)(
    'waits for a finalization on the core without a deadlock (%s %s)',
    async (method, path, body, status) => {
      const owner = await gateway.signUp()
      const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
      let response: ReturnType<TestAccount['post']> | undefined
      await gateway.database.sql.begin(async (core) => {
        await core`select from tracks where id = ${trackId} for no key update`
        response = owner[method](`/v1/tracks/${trackId}/${path}`, body)
        await waitForOneWaiter()
        await core`select from tracks where id = ${trackId} for update`
      })
      expect((await response)?.status).toBe(status)
    },
  )

  it('does not wait for a finalization on the core if it changes only a share link', async () => {
    const owner = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
    const { id } = (await owner.post(`/v1/tracks/${trackId}/share-links`)).body
    await gateway.database.sql.begin(async (core) => {
      await core`select from tracks where id = ${trackId} for no key update`
      expect((await owner.delete(`/v1/tracks/${trackId}/share-links/${id}`)).status).toBe(204)
    })
  })

  it('is rejected if the plan has changed in the meantime', async () => {
    const owner = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
    const result = await revokeDuring(
      (sql) => sql`update subscriptions set status = 'canceled' where account_id = ${owner.accountId}`,
      () => owner.post(`/v1/tracks/${trackId}/share-links`),
    )
    expect(result).toEqual([403, 'entitlement_required'])
  })

  it('is rejected if the pack is unknown or belongs to another account', async () => {
    const { sql, db } = gateway.database
    const { packId } = await insertPackOf(sql, 'acct_owner')
    const visit = { client: () => '', accessCode: () => undefined }
    const lockAs = (accountId: string, params: ScopeRequest['params']) =>
      db.transaction((tx) =>
        lockScope(tx, 'pack', { actor: { accountId, email: null, emailVerified: false }, params, visit }),
      )
    await expect(lockAs('acct_owner', { packId })).resolves.toBeUndefined()
    for (const [accountId, id] of [
      ['acct_other', packId],
      ['acct_owner', 'none'],
      ['acct_owner', '/'],
    ] as const)
      await expect(lockAs(accountId, { packId: id })).rejects.toMatchObject({ code: 'pack_not_found' })
    await expect(
      db.transaction((tx) => lockScope(tx, 'link:track', { actor: null, params: {}, visit })),
    ).rejects.toThrow()
  })
})

describe('concurrent writes', () => {
  const gateway = startTestGateway()

  const statusesOf = async (requests: readonly (() => ReturnType<TestAccount['post']>)[]) =>
    (await Promise.all(requests.map((send) => send()))).map(({ status }) => status)

  const repeated = <T>(count: number, item: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => item(index))

  // More rounds make a conflict more likely; PostgreSQL detects a deadlock after one second.
  const rounds = 3

  it('by the owner and a guest do not deadlock on one library', async () => {
    const [owner, guest] = await Promise.all([gateway.signUp(), gateway.signUp({ plan: 'starter' })])
    const library = await createLibrary(owner)
    const { id: shareId } = await shareLibrary(owner, library, guest, 'admin')
    const path = `/v1/libraries/${library.id}`
    const trackIds = await Promise.all(
      repeated(4, () => insertTrackOf(gateway.database.sql, owner.accountId)),
    )
    for (let round = 0; round < rounds; round++) {
      const statuses = await statusesOf([
        ...repeated(4, (n) => () => [owner, guest][n % 2]!.patch(path, { name: `Name ${round} ${n}` })),
        ...trackIds.map((trackId, n) => () => [owner, guest][n % 2]!.post(`${path}/tracks`, { trackId })),
        ...trackIds.map((trackId, n) => () => [guest, owner][n % 2]!.delete(`${path}/tracks/${trackId}`)),
        ...repeated(
          4,
          (n) => () =>
            owner.post(`${path}/shares`, { email: `${round}-${n}@example.test`, accessType: 'viewer' }),
        ),
        ...repeated(2, () => () => owner.patch(`${path}/shares/${shareId}`, { accessType: 'admin' })),
        ...repeated(2, () => () => guest.patch(`${path}/shares/${shareId}`, { inviteStatus: 'accepted' })),
      ])
      // A track that is removed before it is added is not found (404).
      expect(statuses.filter((status) => ![200, 201, 204, 404].includes(status))).toEqual([])
    }
    const invited = (await owner.get(`${path}/shares`)).body.records.map(
      (record: { id: string }) => record.id,
    )
    const last = await statusesOf([
      ...repeated(4, (n) => () => guest.patch(path, { name: `Last ${n}` })),
      ...invited.map((id: string) => () => owner.delete(`${path}/shares/${id}`)),
      ...repeated(3, () => () => owner.delete(path)),
    ])
    expect(last.filter((status) => ![200, 204, 404].includes(status))).toEqual([])
    expect(last.slice(-3).sort()).toEqual([204, 404, 404])
  })

  it('do not deadlock on one track, even while it is being deleted', async () => {
    const owner = await gateway.signUp()
    const { sql } = gateway.database
    const trackId = await insertTrackOf(sql, owner.accountId)
    const path = `/v1/tracks/${trackId}`
    const links = await Promise.all(
      repeated(2, async () => (await owner.post(`${path}/share-links`)).body.id),
    )
    const upload = { fileName: 'a.wav', contentType: 'audio/wav', byteSize: 1024 }
    const writes = (round: number) => [
      ...repeated(5, (n) => () => owner.patch(`${path}/metadata`, { title: `Title ${round} ${n}` })),
      ...repeated(5, () => () => owner.post(`${path}/share-links`)),
      ...links.map((id) => () => owner.post(`${path}/share-links/${id}/reset`)),
      ...repeated(4, () => () => owner.post(`${path}/versions/uploads`, upload)),
      ...repeated(4, (n) => () => owner.put(`${path}/lyrics`, { text: `${n}` })),
    ]
    for (let round = 0; round < rounds; round++) {
      const statuses = await statusesOf(writes(round))
      expect(statuses.filter((status) => ![200, 201].includes(status))).toEqual([])
    }
    const [statuses] = await Promise.all([
      statusesOf(writes(rounds)),
      sql`delete from tracks where id = ${trackId}`,
    ])
    expect(statuses.filter((status) => ![200, 201, 404].includes(status))).toEqual([])
  })

  it("do not exceed a plan's limit", async () => {
    const owner = await gateway.signUp({ plan: 'starter' })
    const trackIds = await Promise.all(
      repeated(3, () => insertTrackOf(gateway.database.sql, owner.accountId)),
    )
    const statuses = await statusesOf(
      repeated(12, (n) => () => owner.post(`/v1/tracks/${trackIds[n % 3]}/share-links`)),
    )
    expect(statuses.toSorted()).toEqual([201, 201, ...Array(10).fill(403)])
  })
})
