import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('libraries.create', () => {
  const gateway = startTestGateway()

  it('trims the name and ignores unknown fields', async () => {
    const alice = await gateway.signUp({ plan: 'free' })
    const response = await alice.post('/v1/libraries', { name: '  Late Night  ', colour: 'blue' })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
      name: 'Late Night',
      description: null,
      createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      updatedAt: response.body.createdAt,
    })
  })

  it('accepts a name of 120 code points', async () => {
    const alice = await gateway.signUp()
    expect((await alice.post('/v1/libraries', { name: '🎹'.repeat(120) })).status).toBe(201)
  })

  it('accepts the same name from two owners', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    expect((await alice.post('/v1/libraries', { name: 'Demos' })).status).toBe(201)
    expect((await bob.post('/v1/libraries', { name: 'Demos' })).status).toBe(201)
  })

  it.each([
    ['no name', {}],
    ['a blank name', { name: '   ' }],
    ['a name of 121 characters', { name: '🎹'.repeat(121) }],
    ['a name with a control character', { name: 'De\u0000mos' }],
    ['a number as the name', { name: 7 }],
  ])('returns 400 for %s', async (_, body) => {
    const alice = await gateway.signUp()
    const response = await alice.post('/v1/libraries', body)
    expect(response.status).toBe(400)
    expect(response.body).toEqual(
      errorBody('validation_error', { issues: [{ path: 'name', message: expect.any(String) }] }),
    )
    expect((await alice.get('/v1/libraries')).body.records).toEqual([])
  })

  it.each([
    ['the same name', 'Demos', 'Demos'],
    ['a different letter case', 'Demos', 'DEMOS'],
    ['surrounding spaces', 'Demos', ' Demos '],
    ['full-width letters', 'Demos', 'Ｄｅｍｏｓ'],
    ['an accent composed differently', 'Caf\u00e9', 'Cafe\u0301'],
    ['letters whose upper case is longer', 'Große Straße', 'GROSSE STRASSE'],
    ['a final sigma', 'ΟΔΟΣ', 'οδοσ'],
  ])('returns 409 for a name already in use: %s', async (_, taken, name) => {
    const alice = await gateway.signUp()
    await alice.post('/v1/libraries', { name: taken })
    const response = await alice.post('/v1/libraries', { name })
    expect(response.status).toBe(409)
    expect(response.body).toEqual(errorBody('library_name_conflict'))
  })

  it('accepts only one of several concurrent requests with the same name', async () => {
    const alice = await gateway.signUp()
    const responses = await Promise.all(
      ['Race', 'RACE', ' race', 'Race'].map((name) => alice.post('/v1/libraries', { name })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect((await alice.get('/v1/libraries')).body.records).toHaveLength(1)
  })
})
