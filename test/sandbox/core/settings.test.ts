import { describe, expect, it } from 'vitest'
import { readCoreSettings } from '#sandbox/core/settings.ts'
import { demoPlans } from '#sandbox/demo-plans.ts'

const complete = {
  DATABASE_URL: 'postgres://localhost/x',
  AUTH_ISSUER: 'https://issuer.example.test',
  AUTH_AUDIENCE: 'service',
  AUTH_JWKS_URL: 'https://issuer.example.test/jwks.json',
}

describe('the settings of the core', () => {
  it('take a free port and the demo plans unless told otherwise', () => {
    expect(readCoreSettings(complete)).toEqual({
      databaseUrl: complete.DATABASE_URL,
      port: 0,
      issuer: complete.AUTH_ISSUER,
      audience: complete.AUTH_AUDIENCE,
      jwksUrl: complete.AUTH_JWKS_URL,
      plans: demoPlans,
      logLevel: 'error',
    })
  })

  it('take plans as JSON', () => {
    const plans = [{ id: 'solo', entitlements: { 'tracks.share': 5 } }]
    expect(readCoreSettings({ ...complete, BILLING_PLANS: JSON.stringify(plans) }).plans).toEqual(plans)
  })

  it.each([
    ['AUTH_JWKS_URL', 'nowhere'],
    ['CORE_PORT', '65536'],
    ['CORE_PORT', '80x'],
    ['BILLING_PLANS', '[{"id":""}]'],
    ['BILLING_PLANS', '/no/such/file.json'],
    ['LOG_LEVEL', 'loud'],
    ['DATABASE_URL', undefined],
  ])('name %s when it is %j', (name, value) => {
    const read = () => readCoreSettings({ ...complete, [name]: value })
    expect(read).toThrow(new RegExp(`^${name}: `))
    if (value) expect(read).not.toThrow(value)
  })
})
