import { describe, expect, it } from 'vitest'
import { operationTexts } from '#contracts/docs/operation-texts.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { responseHeaders } from '#contracts/shared/response-headers.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { redactResponse } from '#gateway/pipeline/redact-response.ts'
import { sampleCases } from '#test/support/count-cases.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { createLibrary, insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '#test/support/gateway.ts'
import { platforms } from '#test/support/gateway-options.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

const contractOf = (label: Label): Contract => contracts[label]

const declaringLabels = labels.filter((label) => contractOf(label).headers !== undefined)

const whole = [{ collaboratorId: 'ann', percentage: 100 }]

const createParams = async ({ database }: TestGateway, account: TestAccount) => {
  const { accountId, put, post } = account
  const trackId = await insertTrackOf(database.sql, accountId)
  await put(`/v1/tracks/${trackId}/split-sheet`, { master: whole, writers: whole })
  const { threadId } = (await post('/v1/catalog-analysis', { message: 'What is missing?' })).body
  const { packId } = await insertPackOf(database.sql, accountId)
  return { trackId, packId, libraryId: (await createLibrary(account)).id, threadId }
}

const send = async (gateway: TestGateway, label: Label) => {
  const account = await gateway.signUp()
  const params: Readonly<Record<string, string>> = await createParams(gateway, account)
  const response = await gateway.request(
    rowOf(label).method,
    fillPathWith(label, (name) => params[name] ?? 'unknown'),
    { token: account.token, body: operationTexts[label].body },
  )
  return { response, params }
}

describe.each([
  ['with a public base URL', 'node', 'https://api.example/base/', 'https://api.example/base'],
  ['without a public base URL', 'node', '', ''],
  // Workers require a public base URL.
  ['with a public base URL', 'workerd', 'https://api.example/base/', 'https://api.example/base'],
] as const)('the headers that a contract declares, %s, on %s', (_, platform, setting, publicBaseUrl) => {
  const gateway = startTestGateway({
    control: 'fixed',
    core: 'sandbox',
    platform,
    environment: setting === '' ? {} : { PUBLIC_BASE_URL: setting },
  })

  it.each(platform === 'node' ? declaringLabels : sampleCases(declaringLabels, 0.25))(
    'are sent by %s with the values that the contract computes',
    async (label) => {
      const { response, params } = await send(gateway, label)
      const contract = contractOf(label)
      const { runtime } = rowOf(label)
      expect(response.headers.get('x-service-core-runtime')).toBe(runtime === 'proxy' ? 'proxy' : 'native')
      const { status } = response
      expect(Object.keys(contract.headers ?? {})).toContain(String(status))
      const result =
        Object.keys(contract.responses).length === 1 ? response.body : { status, body: response.body }
      const { headers } = await redactResponse(contract, result, params, publicBaseUrl)
      const names = Object.keys(contract.headers?.[status] ?? {})
      expect(names.length).toBeGreaterThan(0)
      for (const name of names) {
        expect(response.headers.get(name), name).toBeTruthy()
        expect(response.headers.get(name), name).toBe(headers[name])
      }
    },
  )
})

describe.each(platforms)('the Location of a new resource on %s', (platform) => {
  const gateway = startTestGateway({
    control: 'fixed',
    platform,
    core: 'sandbox',
    environment: { PUBLIC_BASE_URL: 'https://api.example' },
  })

  it.each([
    ['tracks.create', '/v1/tracks/<id>'],
    ['packs.create', '/v1/packs/<id>'],
    ['packs.links.create', '/v1/packs/<packId>/links/<id>'],
    ['packs.invitations.create', '/v1/packs/<packId>/invitations/<id>'],
    ['tracks.split-sheet.share-links.create', '/v1/tracks/<trackId>/split-sheet/share-links/<id>'],
  ] as const)('for %s is the public base URL followed by %s', async (label, path) => {
    const { response, params } = await send(gateway, label)
    const ids: Readonly<Record<string, string>> = { ...params, id: response.body.id }
    const expected = path.replace(/<(\w+)>/g, (_, name: string) => ids[name] ?? '')
    expect([response.status, response.headers.get('location')]).toEqual([
      201,
      `https://api.example${expected}`,
    ])
  })
})

describe('a Location that is not a valid header value', () => {
  it('is percent-encoded', async () => {
    const contract = contractOf('tracks.create')
    const headers = { 201: { location: () => '/v1/例え' } }
    const withoutBody = { ...contract, responses: { 201: null }, headers }
    const response = await redactResponse(withoutBody, null, {}, 'https://api.example')
    expect(response.headers).toMatchObject({ location: 'https://api.example/v1/%E4%BE%8B%E3%81%88' })
  })
})

describe('a gateway with CORS', () => {
  const origin = 'https://app.example.test'
  const gateway = startTestGateway({
    control: 'fixed',
    core: 'sandbox',
    environment: { CORS_ORIGINS: origin },
  })

  it('lets browser clients read every header that a contract or an error declares', async () => {
    const { headers } = await gateway.request('GET', '/v1/libraries', { headers: { origin } })
    const exposed = headers.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(expect.arrayContaining(Object.keys(responseHeaders)))
  })
})
