import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forwardableRows } from './forwardable-rows.ts'
import { makeTrack, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe("the core's routes", () => {
  it.each(forwardableRows)('include %s %s', async (method, path) => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    const { status, body } = await core.send(path.replace('/tracks/x', `/tracks/${trackId}`), {
      method,
      headers: { authorization: `Bearer ${alice.token}` },
    })
    expect([status, body?.error]).not.toEqual([404, 'route_not_found'])
    expect(status).not.toBe(405)
    expect(status).not.toBe(500)
  })
})
