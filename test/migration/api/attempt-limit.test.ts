import { describe, expect, it } from 'vitest'
import { createAttemptLimit } from '#migration/api/attempt-limit.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

describe('the limit on wrong operator tokens', () => {
  const open = (maxClients = 3) => {
    let time = 0
    const limit = createAttemptLimit({ maxFailures: 2, maxClients, now: () => time })
    return {
      limit,
      advance: (ms: number) => {
        time += ms
      },
    }
  }

  it('applies per address, and ends after a minute', () => {
    const { limit, advance } = open()
    limit.recordFailure('a', 'one')
    expect(limit.findRetryAfterS('a')).toBe(0)
    advance(20_500)
    limit.recordFailure('a', 'two')
    expect([limit.findRetryAfterS('a'), limit.findRetryAfterS('b')]).toEqual([40, 0])
    advance(39_500)
    expect(limit.findRetryAfterS('a')).toBe(0)
    limit.recordFailure('a', 'three')
    expect(limit.findRetryAfterS('a')).toBe(0)
  })

  it('counts a repeated wrong token only once', () => {
    const { limit } = open()
    for (let attempt = 0; attempt < 5; attempt += 1) limit.recordFailure('a', 'removed')
    expect(limit.findRetryAfterS('a')).toBe(0)
  })

  it('remembers a bounded number of addresses, and replaces the oldest', () => {
    const { limit } = open()
    for (const client of ['a', 'b', 'c', 'd'])
      for (const token of ['one', 'two']) limit.recordFailure(client, token)
    expect(['a', 'b', 'c', 'd'].map((client) => limit.findRetryAfterS(client))).toEqual([0, 60, 60, 60])
  })
})

describe('the operator API', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })

  it('refuses further wrong tokens from an address that has sent ten, but never a correct token', async () => {
    const send = (token?: string) =>
      gateway.requestAdmin('GET', '/api/instances', token === undefined ? {} : { token })
    for (let attempt = 0; attempt < 12; attempt += 1) expect((await send()).status).toBe(401)
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await send(`wrong-${attempt}`)).status).toBe(401)
      if (attempt < 9) expect((await send(operatorTokens.rob)).status).toBe(200)
    }
    expect((await send(operatorTokens.rob)).status).toBe(200)
    const { status, body } = await send('wrong-10')
    expect([status, body.error]).toEqual([429, 'operator_attempts_exceeded'])
    expect(body.message).toMatch(/^Too many wrong operator tokens from this address. Try again in \d+ s\.$/)
  })
})
