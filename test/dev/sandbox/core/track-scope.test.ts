import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNotFoundForOthers } from './ownership.ts'
import { makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('routes below a track', () => {
  it('return track_not_found for a track of another account, before any other check', async () => {
    const trackId = await makeTrack(await core.signIn())
    await expectNotFoundForOthers(await core.signIn(), 'track_not_found', [
      ['get', `/v1/tracks/${trackId}/rights`],
      ['get', `/v1/tracks/${trackId}/nothing`],
      ['delete', `/v1/tracks/${trackId}/rights`],
      ['patch', `/v1/tracks/${trackId}/metadata`],
      ['get', '/v1/tracks/not%20an%20id/rights'],
    ])
  })

  it.each(['get', 'post', 'put', 'patch', 'delete'] as const)(
    'return track_resource_not_found for %s of an unknown resource',
    async (method) => {
      const alice = await core.signIn()
      const { status, body } = await alice[method](`/v1/tracks/${await makeTrack(alice)}/nothing`)
      expect([status, body]).toEqual([404, { error: 'track_resource_not_found' }])
    },
  )

  it.each([
    ['post', 'rights', 'GET, HEAD'],
    ['get', 'metadata', 'PATCH'],
  ] as const)('return 405 with Allow for %s of %s', async (method, resource, allow) => {
    const alice = await core.signIn()
    const { status, body, headers } = await alice[method](`/v1/tracks/${await makeTrack(alice)}/${resource}`)
    expect([status, body, headers.get('allow')]).toEqual([405, { error: 'method_not_allowed' }, allow])
  })

  it('return route_not_found below a resource', async () => {
    const alice = await core.signIn()
    const { status, body } = await alice.get(`/v1/tracks/${await makeTrack(alice)}/rights/x`)
    expect([status, body]).toEqual([404, { error: 'route_not_found' }])
  })
})

describe('tracks.rights.detail', () => {
  it('returns no entries for any track', async () => {
    const alice = await core.signIn()
    const { status, body } = await alice.get(`/v1/tracks/${await makeTrack(alice)}/rights`)
    expect([status, body]).toEqual([
      200,
      {
        entries: [],
        status: { isComplete: false, validationErrors: [], validatedAt: expect.stringMatching(timestamp) },
      },
    ])
  })
})
