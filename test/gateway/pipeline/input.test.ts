import { describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('the body of a native route', () => {
  const gateway = startTestGateway()

  it.each(['{"name":', 'nonsense', '{"name":"x"}}', "{'name':'x'}", '\u0000'])(
    '%s is no JSON',
    async (body) => {
      const account = await gateway.signUp()
      const answer = await account.post('/v1/libraries', body)
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual({ error: 'invalid_json', message: expect.any(String) })
    },
  )

  it('that is not UTF-8 is no JSON', async () => {
    const { token } = await gateway.signUp()
    const body = new Uint8Array([0x22, 0xff, 0xfe, 0x22])
    const response = await fetch(`${gateway.url}/v1/libraries`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body,
    })
    expect([response.status, (await response.json()).error]).toEqual([400, 'invalid_json'])
  })

  it.each([[undefined], ['[]'], ['7'], ['null'], ['"text"'], ['{}'], ['{"name":7}'], ['{"name":"  "}']])(
    '%s is valid JSON but no valid input',
    async (body) => {
      const account = await gateway.signUp()
      const answer = await account.post('/v1/libraries', body)
      expect(answer.status).toBe(400)
      expect(answer.body.error).toBe('validation_error')
      for (const issue of answer.body.issues)
        expect(issue).toEqual({ path: expect.any(String), message: expect.any(String) })
    },
  )

  it('may hold many faults, which neither fill an answer nor keep others waiting', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const answer = await account.put(`/v1/tracks/${trackId}/split-sheet`, { writers: Array(5000).fill({}) })
    expect([answer.status, answer.body.issues.length]).toEqual([400, 100])
    const crowded = { name: 'Demos', more: Array.from({ length: 300 }, () => Array(110).fill({})) }
    const refused = await account.post('/v1/libraries', crowded)
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        error: 'validation_error',
        issues: [{ path: '', message: 'must not hold more than 30000 values' }],
      },
    ])
  })

  it('is read whatever its Content-Type says', async () => {
    const account = await gateway.signUp()
    const answer = await account.post('/v1/libraries', '{"name":"Plain"}', { 'content-type': 'text/plain' })
    expect(answer.status).toBe(201)
  })

  it('is ignored where the route takes none', async () => {
    const account = await gateway.signUp()
    const { body } = await account.post('/v1/libraries', { name: 'Short-lived' })
    expect((await account.delete(`/v1/libraries/${body.id}`, '{"broken')).status).toBe(204)
  })

  it('has a limit, announced or not', async () => {
    const { token } = await gateway.signUp()
    const large = new Uint8Array(1_048_577).fill(0x20)
    const headers = { authorization: `Bearer ${token}` }
    const announced = await fetch(`${gateway.url}/v1/libraries`, { method: 'POST', headers, body: large })
    expect([announced.status, await announced.json()]).toEqual([413, { error: 'body_too_large' }])
    const chunked = await fetch(`${gateway.url}/v1/libraries`, {
      method: 'POST',
      headers,
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect([chunked.status, await chunked.json()]).toEqual([413, { error: 'body_too_large' }])
    expect(chunked.headers.get('x-service-native-route')).toBe('libraries.create')
  })

  it('is judged only after the resource is found', async () => {
    const account = await gateway.signUp()
    expect((await account.patch('/v1/libraries/unknown', '{"broken')).status).toBe(404)
  })
})
