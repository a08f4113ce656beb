import { describe, expect, it } from 'vitest'
import { SettingsError } from '#gateway/settings/read-environment.ts'
import { readSettings } from '#gateway/settings/settings.ts'
import { startTestGateway, type TestResponse } from '#test/support/gateway.ts'

const stampOf = ({ headers }: TestResponse) =>
  ['core-runtime', 'native-route', 'proxy-fallback'].map((name) => headers.get(`x-service-${name}`))

const environment = { GATEWAY_KILL: 'libraries.list, analytics.overview,tracks.list' }

describe('a gateway with a core and routes that are switched off', () => {
  const gateway = startTestGateway({ core: 'recording', environment })

  it('leaves such a route to the core, by policy rather than as a fallback', async () => {
    const { token } = await gateway.signUp()
    const answer = await gateway.request('GET', '/v1/libraries', { token })
    expect(stampOf(answer)).toEqual(['proxy', 'libraries.list', '0'])
    expect(gateway.core.requests.at(-1)?.target).toBe('/v1/libraries')
  })

  it('serves every other route as before, of the same path too', async () => {
    const { token } = await gateway.signUp()
    const answer = await gateway.request('POST', '/v1/libraries', { token, body: { name: 'Demos' } })
    expect([answer.status, ...stampOf(answer)]).toEqual([201, 'native', 'libraries.create', '0'])
  })

  it('refuses one that no core may serve, and keeps it from the core', async () => {
    const { token } = await gateway.signUp()
    const before = gateway.core.requests.length
    const answer = await gateway.request('GET', '/v1/analytics/overview', { token })
    expect([answer.status, ...stampOf(answer)]).toEqual([503, 'native', 'analytics.overview', '0'])
    expect(answer.body).toEqual({ error: 'native_runtime_required', message: expect.any(String) })
    expect(gateway.core.requests.length).toBe(before)
  })

  it('forwards what is the core’s anyway', async () => {
    expect(stampOf(await gateway.request('GET', '/v1/tracks'))).toEqual(['proxy', 'tracks.list', '0'])
  })
})

describe('a gateway without a core', () => {
  const gateway = startTestGateway({ environment })

  it('refuses a route that is switched off', async () => {
    const answer = await gateway.request('GET', '/v1/libraries')
    expect([answer.status, answer.body.error]).toEqual([503, 'native_runtime_required'])
  })
})

describe('the labels to switch off', () => {
  const complete = {
    DATABASE_URL: 'postgres://db.test/app',
    CORE_BASE_URL: 'none',
    AUTH_ISSUER: 'https://issuer.test',
    AUTH_AUDIENCE: 'app',
    AUTH_JWKS_URL: 'https://issuer.test/jwks.json',
    GATEWAY_SECRET: 'sixteen-characters',
    STORAGE_ENDPOINT: 'https://storage.test',
    STORAGE_REGION: 'eu',
    STORAGE_BUCKET: 'media',
    STORAGE_ACCESS_KEY_ID: 'storage-key-id',
    STORAGE_SECRET_ACCESS_KEY: 'storage-secret-key',
  }

  it('are none unless given', () => {
    expect(readSettings(complete).GATEWAY_KILL).toEqual([])
  })

  it.each(['libraries.lst', 'libraries', 'toString', 'libraries.list;tracks.list'])(
    'stop the start when %s is none of the table',
    (GATEWAY_KILL) => {
      const start = () => readSettings({ ...complete, GATEWAY_KILL })
      expect(start).toThrow(SettingsError)
      expect(start).toThrow('GATEWAY_KILL must list labels of the route table')
    },
  )
})
