import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, inviteToLibrary, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const accepted = '/v1/libraries/shared-with-me'
const pending = '/v1/libraries/shared-with-me?inviteStatus=pending'

const listShareIds = async (account: TestAccount, path: string): Promise<string[]> =>
  (await account.get(path)).body.records.map(({ shareId }: { shareId: string }) => shareId)

describe('libraries.shared-with-me', () => {
  const gateway = startTestGateway()
  const pair = () => Promise.all([gateway.signUp(), gateway.signUp()])

  it('lists an accepted share with its library and access', async () => {
    const [alice, bob] = await pair()
    const library = await createLibrary(alice)
    const granted = await shareLibrary(alice, library, bob, 'editor')
    const response = await bob.get(accepted)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ records: [{ ...library, shareId: granted.id, accessType: 'editor' }] })
    expect(await listShareIds(bob, pending)).toEqual([])
  })

  it("lists a pending invitation that names the caller's account id", async () => {
    const [alice, bob] = await pair()
    const library = await createLibrary(alice)
    const { id } = await inviteToLibrary(alice, library, { targetUserId: bob.accountId }, 'admin')
    expect(await listShareIds(bob, accepted)).toEqual([])
    const { body } = await bob.get(pending)
    expect(body).toEqual({ records: [{ ...library, shareId: id, accessType: 'admin' }] })
  })

  it('lists an e-mail invitation only for an account that has verified the address', async () => {
    const [alice, bob] = await pair()
    const mallory = await gateway.signUp({ email: bob.email, emailVerified: false })
    const { id } = await inviteToLibrary(alice, await createLibrary(alice), {
      email: bob.email.toUpperCase(),
    })
    expect(await listShareIds(bob, pending)).toEqual([id])
    expect(await listShareIds(mallory, pending)).toEqual([])
  })

  it('lists no invitation for an address that differs in a non-ASCII letter', async () => {
    const alice = await gateway.signUp()
    const name = crypto.randomUUID()
    const kelvin = await gateway.signUp({ email: `${name}@\u212aeep.test` })
    const bob = await gateway.signUp({ email: `${name}@KEEP.test` })
    const { id } = await inviteToLibrary(alice, await createLibrary(alice), { email: `${name}@keep.test` })
    expect(await listShareIds(bob, pending)).toEqual([id])
    expect(await listShareIds(kelvin, pending)).toEqual([])
  })

  it('sorts the libraries by their last change, newest first', async () => {
    const [alice, bob] = await pair()
    const first = await createLibrary(alice, 'First')
    const second = await createLibrary(alice, 'Second')
    const firstShare = await shareLibrary(alice, first, bob)
    const secondShare = await shareLibrary(alice, second, bob)
    expect(await listShareIds(bob, accepted)).toEqual([secondShare.id, firstShare.id])
    await alice.patch(`/v1/libraries/${first.id}`, { description: 'changed' })
    expect(await listShareIds(bob, accepted)).toEqual([firstShare.id, secondShare.id])
  })

  it.each(['declined', 'left', 'revoked'])('omits a share that was %s', async (end) => {
    const [alice, bob] = await pair()
    const library = await createLibrary(alice)
    const { id } = await inviteToLibrary(alice, library, { targetUserId: bob.accountId })
    const path = `/v1/libraries/${library.id}/shares/${id}`
    if (end !== 'declined') await bob.patch(path, { inviteStatus: 'accepted' })
    if (end === 'revoked') await alice.delete(path)
    else await bob.patch(path, { inviteStatus: 'declined' })
    expect(await listShareIds(bob, accepted)).toEqual([])
    expect(await listShareIds(bob, pending)).toEqual([])
  })

  it('lists an invitation to the caller’s own library, sent before the address was the caller’s', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const address = `${crypto.randomUUID()}@example.test`
    await inviteToLibrary(alice, library, { email: address })
    const token = await gateway.issuer.mintToken(alice.accountId, { email: address, emailVerified: true })
    const { body } = await gateway.request('GET', pending, { token })
    expect(body).toMatchObject({ records: [{ id: library.id, accessType: expect.any(String) }] })
  })

  it('returns 400 for an unknown status', async () => {
    const alice = await gateway.signUp()
    const response = await alice.get(`${accepted}?inviteStatus=declined`)
    expect(response.status).toBe(400)
    expect(response.body).toEqual(
      errorBody('validation_error', { issues: [{ path: 'inviteStatus', message: expect.any(String) }] }),
    )
  })
})
