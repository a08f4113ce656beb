import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subscriptions } from '#db/schema/accounts.ts'
import { libraries, libraryShares, libraryTracks } from '#db/schema/libraries.ts'
import { tracks } from '#db/schema/tracks.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await createTestDatabase()
})
afterAll(() => test.close())

const newLibrary = (ownerId: string, nameKey: string) => ({
  id: crypto.randomUUID(),
  ownerId,
  name: nameKey,
  nameKey,
})

const inviteeOf = (libraryId: string) =>
  ({ id: crypto.randomUUID(), libraryId, email: 'eve@example.test', accessType: 'viewer' }) as const

const outcomes = async (attempts: Promise<unknown>[]) => {
  const outcomes = await Promise.allSettled(attempts)
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

describe('the database tables', () => {
  it('accept only one library per owner and name, even if several are inserted at the same time', async () => {
    const insertConcurrently = (owner: string) =>
      Array.from({ length: 6 }, () => test.db.insert(libraries).values(newLibrary(owner, 'DEMOS')).execute())
    const [first, second] = await Promise.all([
      outcomes(insertConcurrently('acct_a')),
      outcomes(insertConcurrently('acct_b')),
    ])
    expect([first, second]).toEqual([1, 1])
  })

  it('accept only one of several concurrent invitations for one person, and a new one after a decline', async () => {
    const library = newLibrary('acct_a', 'SHARED')
    await test.db.insert(libraries).values(library)
    const invite = () => test.db.insert(libraryShares).values(inviteeOf(library.id)).execute()
    expect(await outcomes([invite(), invite(), invite()])).toBe(1)
    await test.sql`update library_shares set invite_status = 'declined', responded_at = now()
      where library_id = ${library.id}`
    expect(await outcomes([invite(), invite()])).toBe(1)
  })

  it("delete a library's entries and shares with the library, and a track's entries with the track", async () => {
    const [deleted, remaining] = [newLibrary('acct_a', 'GONE'), newLibrary('acct_a', 'KEPT')]
    await test.db.insert(libraries).values([deleted, remaining])
    await test.db.insert(libraryShares).values(inviteeOf(deleted.id))
    const trackIds = [crypto.randomUUID(), crypto.randomUUID()]
    await test.db
      .insert(tracks)
      .values(trackIds.map((id) => ({ id, ownerId: 'acct_a', title: 'Song', artist: 'Band' })))
    const entries = [deleted, remaining].flatMap((library) =>
      trackIds.map((trackId, position) => ({ libraryId: library.id, trackId, position })),
    )
    await test.db.insert(libraryTracks).values(entries)

    await test.sql`delete from libraries where id = ${deleted.id}`
    await test.sql`delete from tracks where id = ${trackIds[0]!}`
    expect(await test.sql`select library_id, track_id from library_tracks`).toEqual([
      { library_id: remaining.id, track_id: trackIds[1] },
    ])
    expect(await test.sql`select id from library_shares where library_id = ${deleted.id}`).toHaveLength(0)
  })

  it.each([
    ['a revoked share that still grants access', { accessType: 'viewer', inviteStatus: 'revoked' }],
    ['a revoked share without its time', { accessType: 'revoked', inviteStatus: 'revoked' }],
    ['an accepted share without its time', { inviteStatus: 'accepted' }],
    ['an invitation without an invitee', { email: null }],
    ['an e-mail address in upper case', { email: 'EVE@example.test' }],
  ] as const)('reject %s', async (_, invalid) => {
    const library = newLibrary('acct_a', crypto.randomUUID())
    await test.db.insert(libraries).values(library)
    const share = test.db.insert(libraryShares).values({ ...inviteeOf(library.id), ...invalid })
    await expect(share.execute()).rejects.toMatchObject({ cause: { code: '23514' } })
  })

  it('reject a subscription without a customer, and a compact code without the code it comes from', async () => {
    const subscription = { accountId: 'acct_a', planId: 'pro', billingSubscriptionId: 'sub_1' }
    await expect(test.db.insert(subscriptions).values(subscription).execute()).rejects.toThrow()
    const track = {
      id: 'track',
      ownerId: 'acct_a',
      title: 'Song',
      artist: 'Band',
      isrcCompact: 'USRC17607839',
    }
    await expect(test.db.insert(tracks).values(track).execute()).rejects.toThrow()
  })
})
