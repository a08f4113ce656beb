import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPaths, makePack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const ownPack = async () => {
  const alice = await core.signIn()
  const { packId } = await makePack(alice)
  return { alice, packId, invitations: `/v1/packs/${packId}/invitations` }
}

describe('packs.invitations', () => {
  it('queues an invitation and lists it', async () => {
    const { alice, packId, invitations } = await ownPack()
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

  it.each([{}, { email: 'nobody' }, { email: 7 }, { email: `${'x'.repeat(250)}@a.test` }])(
    'refuses %j',
    async (body) => {
      const { alice, invitations } = await ownPack()
      expect(invalidPaths(await alice.post(invitations, body))).toEqual(['email'])
    },
  )
})
