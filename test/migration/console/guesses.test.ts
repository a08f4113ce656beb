import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { createConsoleClient } from './browse.ts'

describe('guesses at operator tokens', () => {
  const gateway = startTestGateway({ environment: { OPERATORS: testOperators } })
  const { post } = createConsoleClient(gateway)
  const callApi = async (token: string) =>
    (await gateway.requestAdmin('GET', '/api/instances', { token })).status

  it('are refused after ten from one address, whether at the console or the API', async () => {
    for (let guess = 0; guess < 5; guess += 1) {
      expect((await post('/console/sign-in', { token: `guess-${guess}` })).status).toBe(401)
      expect(await callApi(`other-guess-${guess}`)).toBe(401)
    }
    const { status, headers, body } = await post('/console/sign-in', { token: 'one more guess' })
    expect([status, headers.get('set-cookie')]).toEqual([429, null])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(body).toContain('Too many wrong tokens from this address. Try again in')
    expect(await callApi('another guess')).toBe(429)
    expect(await callApi(operatorTokens.alice)).toBe(200)
    expect((await post('/console/sign-in', { token: operatorTokens.alice })).status).toBe(303)
  })
})
