import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTrack, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('routes below a track', () => {
  it('return track_not_found for a track of another account, before any other check', async () => {
    const path = `/v1/tracks/${await makeTrack(await core.signIn())}`
    const bob = await core.signIn()
    for (const [method, address] of [
      ['get', `${path}/rights`],
      ['get', `${path}/nothing`],
      ['delete', `${path}/rights`],
      ['patch', `${path}/metadata`],
      ['get', '/v1/tracks/not%20an%20id/rights'],
    ] as const) {
      const { status, body } = await bob[method](address)
      expect([method, address, status, body]).toEqual([method, address, 404, { error: 'track_not_found' }])
    }
  })

  it.each(['get', 'post', 'put', 'patch', 'delete'] as const)(
    'return track_resource_not_found for %s on an unknown resource',
    async (method) => {
      const alice = await core.signIn()
      const { status, body } = await alice[method](`/v1/tracks/${await makeTrack(alice)}/nothing`)
      expect([status, body]).toEqual([404, { error: 'track_resource_not_found' }])
    },
  )

  it.each([
    ['post', 'rights', 'GET, HEAD'],
    ['get', 'metadata', 'PATCH'],
  ] as const)('return 405 with Allow for %s on %s', async (method, resource, allow) => {
    const alice = await core.signIn()
    const { status, body, headers } = await alice[method](`/v1/tracks/${await makeTrack(alice)}/${resource}`)
    expect([status, body, headers.get('allow')]).toEqual([405, { error: 'method_not_allowed' }, allow])
  })

  it('return route_not_found for a path below a resource', async () => {
    const alice = await core.signIn()
    const { status, body } = await alice.get(`/v1/tracks/${await makeTrack(alice)}/rights/x`)
    expect([status, body]).toEqual([404, { error: 'route_not_found' }])
  })
})
