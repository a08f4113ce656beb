import { describe, expect, it } from 'vitest'
import { SettingsError } from '#gateway/settings/read-environment.ts'
import { readSettings } from '#gateway/settings/settings.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import type { TestResponse } from '#test/support/request-at.ts'

const selectServiceHeaders = ({ headers }: TestResponse) =>
  ['core-runtime', 'native-route', 'proxy-fallback'].map((name) => headers.get(`x-service-${name}`))

const environment = { GATEWAY_KILL: 'libraries.list, analytics.overview,tracks.list' }

describe('GATEWAY_KILL with a core', () => {
  const gateway = startTestGateway({ core: 'recording', environment })

  it('forwards a killed route without marking it as a fallback', async () => {
    const { token } = await gateway.signUp()
    const response = await gateway.request('GET', '/v1/libraries', { token })
    expect(selectServiceHeaders(response)).toEqual(['proxy', 'libraries.list', '0'])
    expect(gateway.core.requests.at(-1)?.target).toBe('/v1/libraries')
  })

  it('serves other routes natively, including other methods of the same path', async () => {
    const { token } = await gateway.signUp()
    const response = await gateway.request('POST', '/v1/libraries', { token, body: { name: 'Demos' } })
    expect([response.status, ...selectServiceHeaders(response)]).toEqual([
      201,
      'native',
      'libraries.create',
      '0',
    ])
  })

  it('returns 503 for a native-only route and does not forward it', async () => {
    const { token } = await gateway.signUp()
    const before = gateway.core.requests.length
    const response = await gateway.request('GET', '/v1/analytics/overview', { token })
    expect([response.status, ...selectServiceHeaders(response)]).toEqual([
      503,
      'native',
      'analytics.overview',
      '0',
    ])
    expect(response.body).toEqual({ error: 'native_runtime_required', message: expect.any(String) })
    expect(gateway.core.requests.length).toBe(before)
  })

  it('forwards a route that is not native', async () => {
    expect(selectServiceHeaders(await gateway.request('GET', '/v1/tracks'))).toEqual([
      'proxy',
      'tracks.list',
      '0',
    ])
  })
})

describe('GATEWAY_KILL without a core', () => {
  const gateway = startTestGateway({ environment })

  it('returns 503 for a killed route', async () => {
    const response = await gateway.request('GET', '/v1/libraries')
    expect([response.status, response.body.error]).toEqual([503, 'native_runtime_required'])
  })
})

describe('the GATEWAY_KILL setting', () => {
  const complete = {
    DATABASE_URL: 'postgres://db.test/app',
    CORE_BASE_URL: 'none',
    PUBLIC_BASE_URL: 'https://api.test',
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

  it('is empty by default', () => {
    expect(readSettings(complete).GATEWAY_KILL).toEqual([])
  })

  it.each(['libraries.lst', 'libraries', 'toString', 'libraries.list;tracks.list'])(
    'rejects %s, which is not a label of the route table',
    (label) => {
      const start = () => readSettings({ ...complete, GATEWAY_KILL: `tracks.list,${label}` })
      expect(start).toThrow(SettingsError)
      expect(start).toThrow(
        `GATEWAY_KILL must be a comma-separated list of route labels, area.* or * (it is "${label}")`,
      )
    },
  )

  it('is rejected with an error that names every value that is not a label', () => {
    const start = () => readSettings({ ...complete, GATEWAY_KILL: 'libraries.lst,tracks.list,track.list' })
    expect(start).toThrow(/\(it is "libraries\.lst"\)\n.*\(it is "track\.list"\)$/)
  })
})
