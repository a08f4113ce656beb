import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNotFoundForOthers } from './ownership.ts'
import { invalidPaths, makePack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('packs.create, packs.list and packs.detail', () => {
  it('return a created pack with its trimmed name', async () => {
    const alice = await core.signIn()
    const { status, headers, body } = await alice.post('/v1/packs', { name: ' EP ', description: 'a\nb' })
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`${core.url}/v1/packs/${body.id}`)
    expect(body).toEqual({
      id: expect.any(String),
      name: 'EP',
      description: 'a\nb',
      trackCount: 0,
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    })
    expect((await alice.get('/v1/packs')).body).toEqual({ records: [body] })
    expect((await alice.get(`/v1/packs/${body.id}`)).body).toEqual(body)
  })

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(121) }, 'name'],
    [{ name: 'a', description: 'x'.repeat(2001) }, 'description'],
    [[], ''],
  ])('return 400 for the body %j, with an issue at path "%s"', async (body, path) => {
    expect(invalidPaths(await (await core.signIn()).post('/v1/packs', body))).toEqual([path])
  })
})

describe('packs.update', () => {
  it('leaves absent fields unchanged, and clears a null description', async () => {
    const alice = await core.signIn()
    const { body: made } = await alice.post('/v1/packs', { name: 'a', description: 'b' })
    const renamed = await alice.patch(`/v1/packs/${made.id}`, { name: 'c' })
    expect([renamed.status, renamed.body.name, renamed.body.description]).toEqual([200, 'c', 'b'])
    const cleared = await alice.patch(`/v1/packs/${made.id}`, { description: null })
    expect([cleared.body.name, cleared.body.description]).toEqual(['c', null])
  })

  it.each([
    [{}, ''],
    [undefined, ''],
    [{ unknown: 1 }, ''],
    [{ name: null }, 'name'],
  ])('returns 400 for the body %j, with an issue at path "%s"', async (body, path) => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice)
    expect(invalidPaths(await alice.patch(`/v1/packs/${packId}`, body))).toEqual([path])
  })
})

describe('packs.remove', () => {
  it('removes the pack, but not its tracks', async () => {
    const alice = await core.signIn()
    const { packId, trackIds } = await makePack(alice, 1)
    expect((await alice.delete(`/v1/packs/${packId}`)).status).toBe(204)
    expect((await alice.delete(`/v1/packs/${packId}`)).body).toEqual({ error: 'pack_not_found' })
    expect((await alice.get(`/v1/tracks/${trackIds[0]}`)).status).toBe(200)
  })
})

describe('a pack that belongs to another account', () => {
  it('causes pack_not_found on every route', async () => {
    const { packId, trackIds } = await makePack(await core.signIn(), 1)
    await expectNotFoundForOthers(await core.signIn(), 'pack_not_found', [
      ['get', `/v1/packs/${packId}`],
      ['patch', `/v1/packs/${packId}`],
      ['delete', `/v1/packs/${packId}`],
      ['post', `/v1/packs/${packId}/tracks`],
      ['delete', `/v1/packs/${packId}/tracks/${trackIds[0]}`],
      ['put', `/v1/packs/${packId}/tracks/order`],
      ['get', `/v1/packs/${packId}/links`],
      ['post', `/v1/packs/${packId}/links`],
      ['delete', `/v1/packs/${packId}/links/any`],
      ['get', `/v1/packs/${packId}/invitations`],
      ['post', `/v1/packs/${packId}/invitations`],
    ])
  })
})
