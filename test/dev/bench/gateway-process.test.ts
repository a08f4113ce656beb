import { describe, expect, it } from 'vitest'
import { createGatewayEnvironment } from '#dev/bench/gateway-process.ts'
import { readSettings } from '#gateway/settings/settings.ts'

describe('createGatewayEnvironment', () => {
  it('returns all required settings and sets the log level to info', () => {
    const settings = readSettings(
      createGatewayEnvironment({
        databaseUrl: 'postgres://user:secret@127.0.0.1:5432/bench',
        coreUrl: 'http://127.0.0.1:9000',
        issuer: { issuer: 'issuer', audience: 'audience', jwksUrl: 'http://127.0.0.1:9001/jwks.json' },
      }),
    )
    expect(settings).toMatchObject({ CORE_BASE_URL: ['http://127.0.0.1:9000'], LOG_LEVEL: 'info', PORT: 0 })
  })
})
