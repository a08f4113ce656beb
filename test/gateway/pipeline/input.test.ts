import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('a request body on a native route', () => {
  const gateway = startTestGateway({ control: 'fixed' })

  it.each(['{"name":', 'nonsense', '{"name":"x"}}', "{'name':'x'}", '\u0000'])(
    'causes 400 invalid_json if it is %s',
    async (body) => {
      const account = await gateway.signUp()
      const response = await account.post('/v1/libraries', body)
      expect(response.status).toBe(400)
      expect(response.body).toEqual({ error: 'invalid_json', message: expect.any(String) })
    },
  )

  it('causes 400 invalid_json if its bytes are not UTF-8', async () => {
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
    'causes 400 validation_error if it is %s',
    async (body) => {
      const account = await gateway.signUp()
      const response = await account.post('/v1/libraries', body)
      expect(response.status).toBe(400)
      expect(response.body.error).toBe('validation_error')
      for (const { path, message } of response.body.issues)
        expect(message).toMatch(new RegExp(`^(?:The request|${path}) (?:must|is) .+\\.$`))
    },
  )

  it('causes 400 with at most 100 issues, or a single one if it has more than 30,000 values', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const response = await account.put(`/v1/tracks/${trackId}/split-sheet`, { writers: Array(5000).fill({}) })
    expect([response.status, response.body.issues.length]).toEqual([400, 100])
    const largeBody = { name: 'Demos', more: Array.from({ length: 300 }, () => Array(110).fill({})) }
    const rejected = await account.post('/v1/libraries', largeBody)
    expect([rejected.status, rejected.body]).toEqual([
      400,
      errorBody('validation_error', {
        issues: [{ path: '', message: 'The request must not contain more than 30000 values.' }],
      }),
    ])
  })

  it('is parsed as JSON for any Content-Type', async () => {
    const account = await gateway.signUp()
    const response = await account.post('/v1/libraries', '{"name":"Plain"}', { 'content-type': 'text/plain' })
    expect(response.status).toBe(201)
  })

  it('is ignored by a route without a body', async () => {
    const account = await gateway.signUp()
    const { body } = await account.post('/v1/libraries', { name: 'Short-lived' })
    expect((await account.delete(`/v1/libraries/${body.id}`, '{"broken')).status).toBe(204)
  })

  it('has a size limit, with or without Content-Length', async () => {
    const { token } = await gateway.signUp()
    const large = new Uint8Array(1_048_577).fill(0x20)
    const headers = { authorization: `Bearer ${token}` }
    const withLength = await fetch(`${gateway.url}/v1/libraries`, { method: 'POST', headers, body: large })
    expect([withLength.status, await withLength.json()]).toEqual([413, errorBody('body_too_large')])
    const chunked = await fetch(`${gateway.url}/v1/libraries`, {
      method: 'POST',
      headers,
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect([chunked.status, await chunked.json()]).toEqual([413, errorBody('body_too_large')])
    expect(chunked.headers.get('x-service-native-route')).toBe('libraries.create')
  })

  it('is validated only after the resource is found', async () => {
    const account = await gateway.signUp()
    expect((await account.patch('/v1/libraries/unknown', '{"broken')).status).toBe(404)
  })
})
