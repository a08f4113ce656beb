import { describe, expect, it } from 'vitest'
import { createLibrary, insertTrackOf, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import type { TestResponse } from '#test/support/request-at.ts'

/** Counts the statements in a client's messages, including BEGIN and COMMIT. The startup message contains none. */
const countStatements = (sent: string) => {
  const bytes = Buffer.from(sent, 'latin1')
  let count = 0
  if (bytes[0] === 0) return count
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readUInt32BE(at + 1))
    if (bytes[at] === 0x42 || bytes[at] === 0x51) count++
  return count
}

describe("a write's statements", () => {
  const gateway = startTestGateway({ throughRelay: true })

  const statementsOf = async (send: () => Promise<TestResponse>) => {
    let count = 0
    gateway.relay.onStatement = (_, sent) => {
      count += countStatements(sent)
      return null
    }
    const { status } = await send()
    gateway.relay.onStatement = () => null
    expect(status).toBeLessThan(300)
    return count
  }

  const twoAccounts = () => Promise.all([gateway.signUp(), gateway.signUp()])

  it("are five for a library, and six if a guest's share must be locked too", async () => {
    const [owner, guest] = await twoAccounts()
    const library = await createLibrary(owner)
    await shareLibrary(owner, library, guest, 'admin')
    const path = `/v1/libraries/${library.id}`
    // The statements: find the library; BEGIN; lock it; update it; COMMIT.
    expect(await statementsOf(() => owner.patch(path, { name: 'One' }))).toBe(5)
    expect(await statementsOf(() => guest.patch(path, { name: 'Two' }))).toBe(6)
    expect(await statementsOf(() => owner.delete(path))).toBe(5)
  })

  it('are six for a track, which is locked for the check and again for the change', async () => {
    const owner = await gateway.signUp()
    const path = `/v1/tracks/${await insertTrackOf(gateway.database.sql, owner.accountId)}`
    // The statements: find the track; BEGIN; lock it for the check; lock it for the change; update it; COMMIT.
    expect(await statementsOf(() => owner.patch(`${path}/metadata`, { title: 'One' }))).toBe(6)
  })

  it('are eleven for a share link, and fourteen if the plan limits the feature', async () => {
    const [unlimited, limited] = await Promise.all([gateway.signUp(), gateway.signUp({ plan: 'starter' })])
    const create = async ({ accountId, post }: typeof limited) => {
      const trackId = await insertTrackOf(gateway.database.sql, accountId)
      return statementsOf(() => post(`/v1/tracks/${trackId}/share-links`))
    }
    // The statements: find the track and the subscription; BEGIN; lock both; lock the track for the change; lock the
    // quota, count the links and delete expired ones; insert the link; COMMIT.
    expect(await create(unlimited)).toBe(11)
    // On the limited plan, it also locks the feature's usage, and counts links before the transaction and inside it.
    expect(await create(limited)).toBe(14)
  })
})
