import { describe, expect, it } from 'vitest'
import { readSettings } from '#gateway/settings/settings.ts'

const complete = {
  DATABASE_URL: 'postgres://u:p@db.test/app',
  CORE_BASE_URL: 'https://core.test',
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

describe('the settings of traces', () => {
  it.each(['https://user:key@otlp.test', 'https://otlp.test/?key=1', 'https://otlp.test/#key', 'otlp.test'])(
    'reject an endpoint to which no path can be appended: %s',
    (endpoint) => {
      expect(() => readSettings({ ...complete, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toThrow(
        '  OTEL_EXPORTER_OTLP_ENDPOINT must be',
      )
    },
  )

  it('have an endpoint without a slash at its end', () => {
    const settings = readSettings({ ...complete, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otlp.test:4318/otlp//' })
    expect(settings.OTEL_EXPORTER_OTLP_ENDPOINT).toBe('http://otlp.test:4318/otlp')
  })
})
