import { describe, expect, it } from 'vitest'
import { readStemOrigins } from '#gateway/settings/media-options.ts'
import { SettingsError, type Variables } from '#gateway/settings/read-environment.ts'
import {
  readReconciliationSettings,
  readSandboxSettings,
  readSettings,
  readJobSettings as readSettingsOfJobs,
  readWorkerSettings,
} from '#gateway/settings/settings.ts'
import { readUnavailableRoutes } from '#gateway/settings/unavailable-routes.ts'

const complete = {
  DATABASE_URL: 'postgres://u:secret-password@db.test/app',
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

const readJobSettings = (given: Variables, canRunFfmpeg = () => true) =>
  readSettingsOfJobs(given, canRunFfmpeg)

const atSeats = 'BILLING_PLANS is invalid at 0.entitlements.seats'
const planWith = (seats: string) =>
  `[{"id":"free","name":"Free","priceId":null,"entitlements":{"seats":${seats}}}]`

describe('readSettings', () => {
  it('requires PUBLIC_BASE_URL on Node and on Workers, and reports it together with other errors', () => {
    const { PUBLIC_BASE_URL: _, ...incomplete } = complete
    const invalid = { ...incomplete, LOG_LEVEL: 'loud' }
    for (const read of [readSettings, readWorkerSettings])
      expect(() => read(invalid)).toThrow(/ {2}PUBLIC_BASE_URL is missing\n(?:.*\n)*.*LOG_LEVEL/)
    expect(readSandboxSettings(incomplete).PUBLIC_BASE_URL).toBeUndefined()
    const jobs = { ...invalid, MEDIA_INTELLIGENCE_URL: 'https://analysis.test' }
    expect(() => readJobSettings(jobs)).toThrow(/LOG_LEVEL(?:.*\n)+ {2}PUBLIC_BASE_URL is missing/)
  })

  it.each([
    ['0', 0],
    ['3600000', 3_600_000],
  ])('accepts DRAIN_MS=%s', (text, value) => {
    expect(readSettings({ ...complete, DRAIN_MS: text }).DRAIN_MS).toBe(value)
  })

  it.each([
    ['auto', 'auto'],
    ['1', 1],
    ['256', 256],
  ])('accepts PROCESSES=%s', (text, value) => {
    expect(readSettings({ ...complete, PROCESSES: text }).PROCESSES).toBe(value)
  })

  it.each(['0', '257', '1.5', 'all'])('rejects PROCESSES=%s', (text) => {
    expect(() => readSettings({ ...complete, PROCESSES: text })).toThrow(
      `PROCESSES must be auto or between 1 and 256 (it is "${text}")`,
    )
  })

  it('has defaults for optional settings', () => {
    expect(readSettings(complete)).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 8787,
      BODY_LIMIT_BYTES: 1_048_576,
      BODY_MEMORY_BYTES: 268_435_456,
      BODY_TIMEOUT_MS: 60_000,
      DRAIN_MS: 10_000,
      DATABASE_POOL_SIZE: 10,
      DATABASE_PREPARE: true,
      CORS_ORIGINS: [],
      TRUSTED_PROXIES: [],
      RATE_LIMIT_PUBLIC_READS: { count: 300, seconds: 60 },
      RATE_LIMIT_ACCESS_CODES: { count: 10, seconds: 600 },
      RATE_LIMIT_ACCESS_CODES_LINK: { count: 1000, seconds: 3600 },
      RATE_LIMIT_REANALYSES: { count: 20, seconds: 3600 },
      RATE_LIMIT_UPLOADS: { count: 300, seconds: 3600 },
      RATE_LIMIT_BILLING: { count: 30, seconds: 3600 },
      RATE_LIMIT_INVITATIONS: { count: 300, seconds: 3600 },
      QUOTA_LIBRARIES: 1000,
      QUOTA_LINKS: 1000,
      QUOTA_REVOKED_LINKS: 10_000,
      QUOTA_DOCUMENTS: 1000,
      QUOTA_VERSIONS: 1000,
      QUOTA_PENDING_UPLOAD_BYTES: 50 * 1024 ** 3,
    })
  })

  it.each([
    'postgres://u:p%40ss@a.test:5432,b.test:5433/app?target_session_attrs=read-write',
    'postgresql://a.test,b.test,[2001:db8::1]:5432/app?target_session_attrs=primary&sslmode=require',
    'postgres:///app',
  ])('accepts %s as address of the database', (url) => {
    const settings = readSettings({ ...complete, DATABASE_URL: url, DATABASE_DIRECT_URL: url })
    expect([settings.DATABASE_URL, settings.DATABASE_DIRECT_URL]).toEqual([url, url])
  })

  it.each([
    ['https://例え.example', 'https://xn--r8jz45g.example'],
    ['https://API.example:443/bäse//', 'https://api.example/b%C3%A4se'],
    ['http://127.0.0.1:8787/', 'http://127.0.0.1:8787'],
  ])('reads the public base URL %s as %s', (text, url) => {
    expect(readSettings({ ...complete, PUBLIC_BASE_URL: text }).PUBLIC_BASE_URL).toBe(url)
  })

  it('treats an empty variable as unset', () => {
    expect(readSettings({ ...complete, PORT: '', INTERNAL_TOKEN: '' })).toMatchObject({ PORT: 8787 })
  })

  it('reads a rate limit of off as null', () => {
    const settings = readSettings({ ...complete, RATE_LIMIT_SHARE_EVENTS: 'off' })
    expect(settings.RATE_LIMIT_SHARE_EVENTS).toBeNull()
  })

  it('reads a core of none as null', () => {
    expect(readSettings({ ...complete, CORE_BASE_URL: 'none' }).CORE_BASE_URL).toBeNull()
  })

  it('lists an invalid stem origin together with other errors, for the gateway and the jobs', () => {
    const invalid = { ...complete, MEDIA_INTELLIGENCE_ORIGINS: 'stems.test', LOG_LEVEL: 'loud' }
    for (const read of [readSettings, readJobSettings])
      expect(() => read(invalid)).toThrow(/MEDIA_INTELLIGENCE_ORIGINS must(?:.*\n)+.*LOG_LEVEL/)
  })

  it('allows stems from the origin of the analysis service unless origins are set', () => {
    const withAnalysis = {
      ...complete,
      PUBLIC_BASE_URL: 'https://api.test',
      MEDIA_INTELLIGENCE_URL: 'http://analysis.test:9000/v2/jobs?key=1',
    }
    const origins = (given: Readonly<Record<string, string>>) => readStemOrigins(readJobSettings(given))
    expect(origins(complete)).toEqual([])
    expect(origins(withAnalysis)).toEqual(['http://analysis.test:9000'])
    const named = { ...withAnalysis, MEDIA_INTELLIGENCE_ORIGINS: 'https://a.test, http://10.0.0.7:9000/' }
    expect(origins(named)).toEqual(['https://a.test', 'http://10.0.0.7:9000'])
  })

  it('lists an ffmpeg that does not run together with other errors, and does not look for one that is not set', () => {
    const withFfmpeg = { ...complete, FFMPEG_PATH: '/opt/ffmpeg' }
    expect(readJobSettings(withFfmpeg).FFMPEG_PATH).toBe('/opt/ffmpeg')
    expect(() => readJobSettings({ ...withFfmpeg, LOG_LEVEL: 'loud' }, () => false)).toThrow(
      /LOG_LEVEL(?:.*\n)+ {2}FFMPEG_PATH must be the path of ffmpeg, and prlimit/,
    )
    expect(readJobSettings(complete, () => false).FFMPEG_PATH).toBeUndefined()
  })

  it('lists missing settings in one error', () => {
    expect(() => readSettings({})).toThrow(/DATABASE_URL is missing\n(?:.*\n)*.*GATEWAY_SECRET is missing/)
  })

  it.each([
    ['the gateway', 'BILLING_SECRET_KEY', readSettings],
    ['the gateway', 'BILLING_WEBHOOK_SECRET', readSettings],
    ['the jobs', 'BILLING_SECRET_KEY', readJobSettings],
    ['the billing reconciliation', 'BILLING_SECRET_KEY', readReconciliationSettings],
  ])(
    'requires plans of %s when %s is set, so that paying accounts are not synced to free',
    (_, name, read) => {
      expect(() => read({ ...complete, [name]: 'secret-of-billing' })).toThrow('  BILLING_PLANS is missing')
    },
  )

  it.each([
    ['PORT', '70000'],
    ['PORT', '80a'],
    ['HOST', '256.0.0.1'],
    ['HOST', 'here/there'],
    ['CORE_TIMEOUT_MS', '0'],
    ['CORE_TIMEOUT_MS', '2147483648'],
    ['CORE_HONOURS_SHADOW', 'on'],
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

  it('accepts secrets of webhooks with 16 characters', () => {
    const secrets = {
      EMAIL_WEBHOOK_SECRET: `whsec_${Buffer.alloc(16, 7).toString('base64')}`,
      BILLING_WEBHOOK_SECRET: 'whsec_of_16_byte',
      LINKS_WEBHOOK_SECRET: 'links-16-charact',
      MEDIA_INTELLIGENCE_SECRET: 'media-16-charact',
    }
    const plans = '[{"id":"free","name":"Free","priceId":null,"entitlements":{}}]'
    expect(readSettings({ ...complete, ...secrets, BILLING_PLANS: plans })).toMatchObject(secrets)
  })

  it.each([
    ['the gateway', readSettings],
    ['the jobs', readJobSettings],
  ])('requires the key and the sender of e-mails of %s together', (_, read) => {
    const key = { ...complete, EMAIL_API_KEY: 're_123' }
    const sender = { ...complete, EMAIL_FROM: 'Crossfade <invitations@mail.test>' }
    expect(() => read({ ...key, LOG_LEVEL: 'loud' })).toThrow(/LOG_LEVEL(?:.*\n)+ {2}EMAIL_FROM is missing/)
    expect(() => read(sender)).toThrow('  EMAIL_API_KEY is missing: it is required if EMAIL_FROM is set')
    expect(read({ ...key, ...sender })).toMatchObject({ EMAIL_FROM: 'Crossfade <invitations@mail.test>' })
  })

  it('leaves invitations to the core until the key and the sender of e-mails are set', () => {
    const sender = { EMAIL_API_KEY: 're_123', EMAIL_FROM: 'invitations@mail.test' }
    expect([...readUnavailableRoutes(readSettings(complete))]).toEqual([
      ['packs.invitations.create', 'EMAIL_API_KEY and EMAIL_FROM are unset'],
    ])
    expect([...readUnavailableRoutes(readSettings({ ...complete, ...sender }))]).toEqual([])
  })

  it.each(['redis://redis.test', 'rediss://user:p%40ss@redis.test:6380/3'])('accepts REDIS_URL=%s', (url) => {
    expect(readSettings({ ...complete, REDIS_URL: url }).REDIS_URL).toBe(url)
  })

  it('rejects REDIS_URL on Workers together with other errors, without revealing the value', () => {
    const given = { ...complete, REDIS_URL: 'redis://:secret@redis.test', LOG_LEVEL: 'loud' }
    expect(readWorkerSettings(complete)).toEqual(readSettings(complete))
    expect(() => readWorkerSettings(given)).toThrow(/LOG_LEVEL must(?:.*\n)+.*REDIS_URL must be unset/)
    expect(() => readWorkerSettings(given)).not.toThrow('secret')
  })

  it('rejects bodies that need more than half of the memory for bodies', () => {
    const large = { ...complete, BODY_LIMIT_BYTES: '20000000' }
    expect(readSettings(large).BODY_LIMIT_BYTES).toBe(20_000_000)
    expect(() => readWorkerSettings(large)).toThrow('BODY_LIMIT_BYTES must be at most 16777216 on Workers')
    const small = { ...large, BODY_MEMORY_BYTES: '30000000' }
    expect(() => readSettings(small)).toThrow('BODY_MEMORY_BYTES must be at least twice BODY_LIMIT_BYTES')
  })

  it('describes the valid values of CORE_BASE_URL', () => {
    const read = () => readSettings({ ...complete, CORE_BASE_URL: 'core' })
    expect(read).toThrow('  CORE_BASE_URL must be an http or https URL without a path, or none')
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
    ['BILLING_PLANS', planWith('-1'), `${atSeats}: must be true or a whole number of at least 0 (`],
    ['BILLING_PLANS', planWith('1.5'), `${atSeats}: must be true or a whole number of at least 0 (`],
    ['BILLING_PLANS', planWith('"many"'), `${atSeats}: must be true or a whole number of at least 0 (`],
    ['BILLING_PLANS', planWith('false'), `${atSeats}: must be true or a whole number of at least 0 (`],
  ])('describes the error of %s=%s', (name, value, message) => {
    expect(() => readSettings({ ...complete, [name]: value })).toThrow(`  ${message}`)
  })
})
