import { describe, expect, it } from 'vitest'
import { sampleCases } from '#test/support/count-cases.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { testOperators, operatorTokens as tokens } from '#test/support/operators.ts'

const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udfff',
  'x'.repeat(10_000),
  '__proto__',
  'constructor.*',
  '2147483648',
  '99999999999999',
  '-1',
  '1e400',
  'NaN',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-23:59',
  '2030-02-30T00:00:00Z',
]
const values = [...texts, null, true, -1, 0.5, 2_147_483_648, 1e300, [], {}, [null], ['a']]
// Percent-encoded values. The last three cannot be decoded.
const encoded = [...texts.map((text) => encodeURIComponent(text.toWellFormed())), '%ED%A0%80', '%FF', '%']

const scope = 'libraries.list'
const reason = 'a test'
const override = { accountId: 'acct_1', scope, side: 'core', until: null, reason }
const finishedAt = '2026-01-01T00:00:00Z'
const contractResult = {
  label: scope,
  evidenceKey: '0'.repeat(32),
  problems: 0,
  forbiddingDifferences: 0,
}
const bodies: readonly (readonly [method: string, path: string, body: Readonly<Record<string, unknown>>])[] =
  [
    ...['kill', 'ramp', 'mode'].map(
      (kind) =>
        [
          'POST',
          `/api/routes/${scope}/changes`,
          { change: { kind, weightBp: 1, mode: 'auto' }, reason, version: 0 },
        ] as const,
    ),
    ...sampleCases(values, 0.3).flatMap((value) => [
      ['POST', `/api/routes/${scope}/changes`, { change: { kind: value }, reason }] as const,
      [
        'POST',
        `/api/routes/${scope}/changes`,
        { change: { kind: 'ramp', weightBp: value }, reason },
      ] as const,
      ['POST', `/api/routes/${scope}/changes`, { change: { kind: 'mode', mode: value }, reason }] as const,
    ]),
    ['POST', `/api/routes/${scope}/changes`, { change: { kind: 'hold' }, reason, version: 0 }],
    ['PUT', '/api/overrides', override],
    ['DELETE', '/api/overrides', { accountId: 'acct_1', scope, reason }],
    ['DELETE', '/api/instances/i1', { reason }],
    ...sampleCases(values, 0.3).flatMap((value) =>
      Object.keys(contractResult).map(
        (field) =>
          [
            'POST',
            '/api/contract-results',
            { finishedAt, results: [{ ...contractResult, [field]: value }] },
          ] as const,
      ),
    ),
    ['POST', '/api/contract-results', { finishedAt, results: [contractResult], version: 0 }],
  ]
const queries = [
  '/api/routes/libraries.list?account=',
  '/api/routes/libraries.list?link=',
  '/api/overrides?account=',
  '/api/audit?scope=',
  '/api/audit?before=',
  '/api/audit?limit=',
]
const paths = [
  ['GET', '/api/routes/?'],
  ['POST', '/api/routes/?/changes'],
  ['DELETE', '/api/instances/?'],
  ['GET', '/api/routes/?/evidence'],
] as const

describe('bad input to the operator API', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const send = async (method: string, path: string, body?: unknown) => {
    const { status } = await gateway.requestAdmin(method, path, {
      token: tokens.alice,
      ...(body === undefined ? {} : { body }),
    })
    return { status, method, path, body }
  }
  const expectNoFault = (responses: readonly { readonly status: number }[]) => {
    expect(responses.length).toBeGreaterThan(10)
    expect(responses.filter(({ status }) => status >= 500)).toEqual([])
  }

  it('causes no internal error in any field of a body', async () => {
    const responses = []
    for (const [method, path, body] of bodies) {
      responses.push(await send(method, path, body))
      if (Object.hasOwn(body, 'version') || method !== 'POST')
        for (const field of Object.keys(body))
          for (const value of sampleCases(values, 0.3))
            responses.push(await send(method, path, { ...body, [field]: value }))
    }
    for (const body of ['null', '[]', '"a"', '{', '\u0000'])
      for (const [method, path] of bodies.slice(-4)) responses.push(await send(method, path, body))
    expectNoFault(responses)
  }, 60_000)

  it('causes no internal error in any query or path parameter', async () => {
    const responses = []
    for (const value of sampleCases(encoded, 0.3)) {
      for (const query of queries) responses.push(await send('GET', query + value))
      for (const [method, path] of paths)
        responses.push(
          await send(
            method,
            path.replace('?', value),
            method === 'GET' ? undefined : { change: { kind: 'hold' }, reason },
          ),
        )
    }
    for (const value of ['99999999999999', '2147483648'])
      expect((await send('GET', `/api/audit?before=${value}`)).status).toBe(400)
    expect((await send('GET', '/api/overrides?account=%00')).status).toBe(400)
    expectNoFault(responses)
  }, 60_000)

  it('is rejected with an error that names each field with characters that cannot be stored', async () => {
    for (const text of ['a\u0000b', '\ud800']) {
      const { body } = await gateway.requestAdmin('PUT', '/api/overrides', {
        token: tokens.alice,
        body: { ...override, accountId: text, reason: text },
      })
      expect(body.issues.map(({ path }: { path: string }) => path)).toEqual(['accountId', 'reason'])
    }
  })

  it('is rejected if it changes a state whose version cannot be incremented', async () => {
    await gateway.database.sql`
      insert into route_state (scope, weight_bp, mode, version) values ('tracks.*', 0, 'observe', 2147483647)`
    const { status, body } = await gateway.requestAdmin('POST', '/api/routes/tracks.*/changes', {
      token: tokens.alice,
      body: { change: { kind: 'kill' }, reason },
    })
    expect([status, body]).toEqual([
      409,
      {
        error: 'route_change_illegal',
        message:
          'version 2147483647 of tracks.* cannot be incremented: set a lower version in its row in route_state.',
      },
    ])
  })
})
