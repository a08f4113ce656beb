import { expect, it } from 'vitest'
import { deliveries as senders } from '#contracts/deliveries.ts'
import { describeSettings, readSandboxSettings } from '#gateway/settings/settings.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { testPlans } from '#test/support/plans.ts'

const gateway = startTestGateway()
const planted = 'planted-secret-0123456789abcdef'
const standardSecret = `whsec_${Buffer.from(planted).toString('base64')}`

it('the settings that are logged at start contain no secrets', () => {
  const secrets = {
    DATABASE_URL: `postgres://app:${planted}@127.0.0.1:5432/app`,
    DATABASE_DIRECT_URL: `postgres://app:${planted}@127.0.0.1:5432/app`,
    SHADOW_DATABASE_URL: `postgres://app:${planted}@127.0.0.1:5432/app`,
    DATABASE_CA: `-----BEGIN CERTIFICATE-----\n${planted}`,
    REDIS_URL: `redis://user:${planted}@127.0.0.1:6379/0`,
    BILLING_SECRET_KEY: planted,
    LINKS_API_KEY: planted,
    EMAIL_API_KEY: planted,
    EMAIL_FROM: `Crossfade <${planted}@example.test>`,
    STORAGE_ACCESS_KEY_ID: planted,
    STORAGE_SECRET_ACCESS_KEY: planted,
    INTERNAL_TOKEN: planted,
    GATEWAY_SECRET: planted,
    OPERATORS: `ada:write:${Buffer.from(planted).toString('hex').padEnd(64, '0').slice(0, 64)}`,
    AUTH_JWKS_URL: `https://issuer.example/keys?key=${planted}`,
    BILLING_PLANS: JSON.stringify(testPlans),
    EMAIL_API_BASE: `https://mail.example/${planted}`,
  }
  const deliveries = Object.fromEntries(
    Object.values(senders).map(({ secret, scheme }) => [
      secret,
      scheme === 'standard-webhooks' ? standardSecret : planted,
    ]),
  )
  const settings = readSandboxSettings({ ...gateway.environment, ...secrets, ...deliveries })
  const described = describeSettings(settings)
  const text = JSON.stringify(described)
  expect(text).not.toContain(planted)
  expect(text).not.toContain(Buffer.from(planted).toString('base64').slice(0, 20))
  expect(text).not.toContain(Buffer.from(planted).toString('hex').slice(0, 20))
  expect(described).toMatchObject({
    GATEWAY_SECRET: 'set',
    REDIS_URL: 'set',
    AUTH_JWKS_URL: 'https://issuer.example',
    DATABASE_POOL_SIZE: 10,
    RATE_LIMIT_PUBLIC_READS: '300/60',
    LOG_LEVEL: 'info',
  })
})
