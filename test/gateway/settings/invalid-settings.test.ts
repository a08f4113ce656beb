import { describe, expect, it } from 'vitest'
import { SettingsError } from '#gateway/settings/read-environment.ts'
import { readSettings } from '#gateway/settings/settings.ts'
import { completeSettings as complete } from './complete-settings.ts'

const atSeats = 'BILLING_PLANS is invalid at 0.entitlements.seats'
const freePlan = { id: 'free', name: 'Free', priceId: null, entitlements: {} }
const proPlan = { id: 'pro', name: 'Pro', priceId: 'price_pro', entitlements: {} }
const planWith = (seats: string) =>
  `[{"id":"free","name":"Free","priceId":null,"entitlements":{"seats":${seats}}}]`

describe('readSettings with invalid settings', () => {
  it('lists missing settings in one error', () => {
    expect(() => readSettings({})).toThrow(/DATABASE_URL is missing\n(?:.*\n)*.*GATEWAY_SECRET is missing/)
  })

  it.each([
    ['PORT', '70000'],
    ['PORT', '80a'],
    ['HOST', '256.0.0.1'],
    ['HOST', 'here/there'],
    ['CORE_TIMEOUT_MS', '0'],
    ['CORE_TIMEOUT_MS', '2147483648'],
    ['AUTH_CLOCK_TOLERANCE_S', '61'],
    ['AUTH_CLOCK_TOLERANCE_S', '-1'],
    ['AUTH_CLOCK_TOLERANCE_S', '2.5'],
    ['CORE_HONOURS_SHADOW', 'on'],
    ['CORE_PROBE_PATH', 'health'],
    ['CORE_PROBE_PATH', '/health#now'],
    ['CORE_PROBE_PATH', '/a b'],
    ['BODY_LIMIT_BYTES', '0'],
    ['DRAIN_MS', '3600001'],
    ['EMAIL_WEBHOOK_SECRET', 'whsec_%%%'],
    ['EMAIL_WEBHOOK_SECRET', 'whsec_='],
    ['EMAIL_WEBHOOK_SECRET', `whsec_${Buffer.alloc(15, 7).toString('base64')}`],
    ['BILLING_WEBHOOK_SECRET', 'whsec_of_15_byt'],
    ['LINKS_WEBHOOK_SECRET', 'links-15-charac'],
    ['MEDIA_INTELLIGENCE_SECRET', 'media-15-charac'],
    ['CORE_BASE_URL', 'https://core.test/base'],
    ['CORE_BASE_URL', 'ftp://core.test'],
    ['CORE_BASE_URL', 'no-address'],
    ['DATABASE_URL', 'mysql://db.test'],
    ['DATABASE_URL', 'postgres://u:se/kr#et@db.test/app'],
    ['DATABASE_URL', 'postgres://u:50%off@db.test/app'],
    ['DATABASE_URL', 'postgres://u:p@a.test:5432,b.test:x/app'],
    ['DATABASE_URL', 'postgres://u:p@a.test,b.test/app?target_session_attrs=standby'],
    ['DATABASE_URL', 'postgres://u:p@a.test,b.test/app?sslmode=no-verify'],
    ['DATABASE_DIRECT_URL', 'db.test'],
    ['SHADOW_DATABASE_URL', 'db.test'],
    ['DATABASE_POOL_SIZE', '4096'],
    ['DATABASE_POOL_SIZE', '-7'],
    ['DATABASE_PREPARE', 'yes'],
    ['GATEWAY_SECRET', 'short'],
    ['BILLING_PLANS', '[{"id":"pro"}]'],
    ['BILLING_PLANS', '{broken'],
    ['PUBLIC_BASE_URL', 'api.test'],
    ['PUBLIC_BASE_URL', 'https://user@api.test'],
    ['PUBLIC_BASE_URL', 'https://:password@api.test'],
    ['PUBLIC_BASE_URL', 'https://api.test/?x=1'],
    ['PUBLIC_BASE_URL', 'https://api.test/?'],
    ['PUBLIC_BASE_URL', 'https://api.test/#a'],
    ['AUTH_JWKS_URL', 'https://user:password@issuer.test/jwks.json'],
    ['STORAGE_ENDPOINT', 'https://user@store.test'],
    ['MEDIA_INTELLIGENCE_URL', 'https://:password@analysis.test/jobs'],
    ['NOTIFY_URL', 'https://user:password@notices.test'],
    ['APP_ORIGIN', 'https://app.test/path'],
    ['BILLING_API_BASE', 'https://billing.test/v1'],
    ['LINKS_API_BASE', 'links.test'],
    ['EMAIL_API_BASE', 'email.test'],
    ['EMAIL_FROM', 'The Owls'],
    ['EMAIL_FROM', 'Crossfade <crossfade@mail>'],
    ['EMAIL_FROM', 'A\nB <a@mail.test>'],
    ['CORS_ORIGINS', 'https://app.test/path'],
    ['CORS_ORIGINS', 'no-address'],
    ['MEDIA_INTELLIGENCE_ORIGINS', 'https://stems.test/path'],
    ['MEDIA_INTELLIGENCE_ORIGINS', 'https://stems.test, ftp://stems.test'],
    ['MEDIA_INTELLIGENCE_ORIGINS', 'https://user:password@stems.test'],
    ['MEDIA_INTELLIGENCE_ORIGINS', 'stems.test'],
    ['TRUSTED_PROXIES', '10.0.0.0/99'],
    ['RATE_LIMIT_PUBLIC_READS', '300'],
    ['RATE_LIMIT_ANALYTICS', '0/60'],
    ['RATE_LIMIT_ACCESS_CODES_LINK', 'none'],
    ['RATE_LIMIT_UPLOADS', '300'],
    ['REDIS_URL', 'http://redis.test'],
    ['REDIS_URL', 'redis.test:6379'],
    ['REDIS_URL', 'redis://:50%off@redis.test'],
    ['REDIS_URL', 'rediss://redis.test/counters'],
    ['QUOTA_LINKS', '-7'],
    ['QUOTA_PENDING_UPLOAD_BYTES', '50 GiB'],
    ['LOG_LEVEL', 'loud'],
  ])('rejects %s=%s', (name, value) => {
    const read = () => readSettings({ ...complete, [name]: value })
    expect(read).toThrow(SettingsError)
    expect(read).toThrow(`  ${name} `)
  })

  it('describes the valid values of CORE_BASE_URL', () => {
    const read = () => readSettings({ ...complete, CORE_BASE_URL: 'core' })
    expect(read).toThrow('  CORE_BASE_URL must be none, or one or more http or https URLs without a path')
  })

  it.each([
    ['PORT', '70000', 'PORT must be between 0 and 65535 (it is "70000")'],
    ['CORE_TIMEOUT_MS', '0', 'CORE_TIMEOUT_MS must be between 1 and 2147483647'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of fatal, error, warn, info, debug, silent'],
    ['BILLING_PLANS', '{"id":"pro"}', 'BILLING_PLANS must be a JSON array of plans'],
    [
      'BILLING_PLANS',
      '/no/plans.json',
      'BILLING_PLANS must be JSON or the path of a readable file (it is "/no/plans.json")',
    ],
    ['BILLING_PLANS', '["a"]', 'BILLING_PLANS is invalid at 0: must be an object (it is "['],
    ['BILLING_PLANS', '[{"id":"free"}]', 'BILLING_PLANS is invalid at 0.name: is required'],
    [
      'BILLING_PLANS',
      '[{"id":"free","name":"Free","priceId":"","entitlements":{}}]',
      'BILLING_PLANS is invalid at 0.priceId: must not be empty',
    ],
    [
      'BILLING_PLANS',
      JSON.stringify([freePlan, { ...proPlan, priceId: 'price_team' }, proPlan]),
      'BILLING_PLANS must have a different id for each plan',
    ],
    [
      'BILLING_PLANS',
      JSON.stringify([freePlan, proPlan, { ...proPlan, id: 'team' }]),
      'BILLING_PLANS must have a different priceId for each plan',
    ],
    ['BILLING_PLANS', planWith('-1'), `${atSeats}: must be true or a whole number, 0 or greater (`],
    ['BILLING_PLANS', planWith('1.5'), `${atSeats}: must be true or a whole number, 0 or greater (`],
    ['BILLING_PLANS', planWith('"many"'), `${atSeats}: must be true or a whole number, 0 or greater (`],
    ['BILLING_PLANS', planWith('false'), `${atSeats}: must be true or a whole number, 0 or greater (`],
  ])('says what is wrong with %s=%s', (name, value, message) => {
    expect(() => readSettings({ ...complete, [name]: value })).toThrow(`  ${message}`)
  })
})
