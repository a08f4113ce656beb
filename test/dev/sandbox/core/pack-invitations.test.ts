import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPaths, makePack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const createPack = async () => {
  const alice = await core.signIn()
  const { packId } = await makePack(alice)
  return { alice, packId, invitations: `/v1/packs/${packId}/invitations` }
}

describe('packs.invitations', () => {
  it('queues an invitation and lists it', async () => {
    const { alice, packId, invitations } = await createPack()
    const { status, body } = await alice.post(invitations, { email: ' Press@Example.TEST ' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      packId,
      email: 'press@example.test',
      status: 'queued',
      createdAt: expect.stringMatching(timestamp),
    })
    expect((await alice.get(invitations)).body).toEqual({ records: [body] })
  })

  it.each([{}, { email: 'not-an-address' }, { email: 7 }, { email: `${'x'.repeat(250)}@a.test` }])(
    'rejects the body %j',
    async (body) => {
      const { alice, invitations } = await createPack()
      expect(invalidPaths(await alice.post(invitations, body))).toEqual(['email'])
    },
  )
})
