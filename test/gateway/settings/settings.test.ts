import { describe, expect, it } from 'vitest'
import { readUnavailableRoutes } from '#gateway/settings/email.ts'
import { readStemOrigins } from '#gateway/settings/media.ts'
import { readModelOptions } from '#gateway/settings/model.ts'
import type { Variables } from '#gateway/settings/read-environment.ts'
import {
  readReconciliationSettings,
  readSandboxSettings,
  readSettings,
  readJobSettings as readSettingsOfJobs,
  readWorkerSettings,
} from '#gateway/settings/settings.ts'
import { completeSettings as complete } from './complete-settings.ts'

const readJobSettings = (given: Variables, canRunFfmpeg = () => true) =>
  readSettingsOfJobs(given, canRunFfmpeg)

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
  ])('accepts %s as the database address', (url) => {
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

  it('reads "off" as no rate limit (null)', () => {
    const settings = readSettings({ ...complete, RATE_LIMIT_SHARE_EVENTS: 'off' })
    expect(settings.RATE_LIMIT_SHARE_EVENTS).toBeNull()
  })

  it('reads "none" as no core (null)', () => {
    expect(readSettings({ ...complete, CORE_BASE_URL: 'none' }).CORE_BASE_URL).toBeNull()
  })

  it('lists an invalid stem origin together with other errors, for the gateway and the jobs', () => {
    const invalid = { ...complete, MEDIA_INTELLIGENCE_ORIGINS: 'stems.test', LOG_LEVEL: 'loud' }
    for (const read of [readSettings, readJobSettings])
      expect(() => read(invalid)).toThrow(/MEDIA_INTELLIGENCE_ORIGINS must(?:.*\n)+.*LOG_LEVEL/)
  })

  it("allows stems from the analysis service's origin unless origins are set", () => {
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

  it('lists FFMPEG_PATH among the errors if it is set but ffmpeg does not run', () => {
    const withFfmpeg = { ...complete, FFMPEG_PATH: '/opt/ffmpeg' }
    expect(readJobSettings(withFfmpeg).FFMPEG_PATH).toBe('/opt/ffmpeg')
    expect(() => readJobSettings({ ...withFfmpeg, LOG_LEVEL: 'loud' }, () => false)).toThrow(
      /LOG_LEVEL(?:.*\n)+ {2}FFMPEG_PATH must be the path of ffmpeg, and prlimit/,
    )
    expect(readJobSettings(complete, () => false).FFMPEG_PATH).toBeUndefined()
  })

  it.each([
    ['the gateway', 'BILLING_SECRET_KEY', readSettings],
    ['the gateway', 'BILLING_WEBHOOK_SECRET', readSettings],
    ['the jobs', 'BILLING_SECRET_KEY', readJobSettings],
    ['the billing reconciliation', 'BILLING_SECRET_KEY', readReconciliationSettings],
  ])(
    'requires plans for %s if %s is set, so paying accounts are not synced to the free plan',
    (_, name, read) => {
      expect(() => read({ ...complete, [name]: 'secret-of-billing' })).toThrow('  BILLING_PLANS is missing')
    },
  )

  it('accepts webhook secrets with 16 characters', () => {
    const secrets = {
      EMAIL_WEBHOOK_SECRET: `whsec_${Buffer.alloc(16, 7).toString('base64')}`,
      BILLING_WEBHOOK_SECRET: 'whsec_of_16_byte',
      LINKS_WEBHOOK_SECRET: 'links-16-charact',
      MEDIA_INTELLIGENCE_SECRET: 'media-16-charact',
    }
    const plans = '[{"id":"free","name":"Free","priceId":null,"entitlements":{}}]'
    expect(readSettings({ ...complete, ...secrets, BILLING_PLANS: plans })).toMatchObject(
      Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, [secret]])),
    )
  })

  it.each([
    ['the gateway', readSettings],
    ['the jobs', readJobSettings],
  ])('requires the email key and the sender of %s to be set together', (_, read) => {
    const key = { ...complete, EMAIL_API_KEY: 're_123' }
    const sender = { ...complete, EMAIL_FROM: 'Crossfade <invitations@mail.test>' }
    expect(() => read({ ...key, LOG_LEVEL: 'loud' })).toThrow(/LOG_LEVEL(?:.*\n)+ {2}EMAIL_FROM is missing/)
    expect(() => read(sender)).toThrow('  EMAIL_API_KEY is missing: it is required if EMAIL_FROM is set')
    expect(read({ ...key, ...sender })).toMatchObject({ EMAIL_FROM: 'Crossfade <invitations@mail.test>' })
  })

  it('uses a model only if both its URL and its name are set', () => {
    const url = { AI_BASE_URL: 'https://models.test/v1/' }
    const model = { AI_MODEL: 'large' }
    expect(readModelOptions(readSettings(complete))).toBeNull()
    expect(readModelOptions(readSettings({ ...complete, ...model, AI_BASE_URL: 'none' }))).toBeNull()
    expect(readModelOptions(readSettings({ ...complete, ...url, ...model, AI_API_KEY: 'key' }))).toEqual({
      baseUrl: 'https://models.test/v1',
      apiKey: 'key',
      model: 'large',
    })
    expect(() => readSettings({ ...complete, ...url })).toThrow('  AI_MODEL is missing')
    expect(() => readSettings({ ...complete, ...model })).toThrow('  AI_BASE_URL is missing')
    expect(() => readSettings({ ...complete, AI_API_KEY: 'key' })).toThrow('  AI_BASE_URL is missing')
  })

  it('rejects a model on Workers, which has no client for it', () => {
    const model = { AI_BASE_URL: 'https://models.test/v1', AI_MODEL: 'large' }
    expect(() => readWorkerSettings({ ...complete, ...model })).toThrow('  AI_BASE_URL must be unset or none')
    expect(readWorkerSettings({ ...complete, AI_BASE_URL: 'none' }).AI_BASE_URL).toBeNull()
  })

  it('leaves invitations to the core until the email key and sender are set', () => {
    const sender = { EMAIL_API_KEY: 're_123', EMAIL_FROM: 'invitations@mail.test' }
    expect([...readUnavailableRoutes(readSettings(complete))]).toEqual([
      ['packs.invitations.create', 'EMAIL_API_KEY and EMAIL_FROM are unset'],
    ])
    expect([...readUnavailableRoutes(readSettings({ ...complete, ...sender }))]).toEqual([])
  })

  it('accepts several core URLs on Node, and lists them among the errors on Workers', () => {
    const several = { ...complete, CORE_BASE_URL: 'https://a.test, https://b.test:8443' }
    expect(readSettings(several).CORE_BASE_URL).toEqual(['https://a.test', 'https://b.test:8443'])
    expect(() => readWorkerSettings({ ...several, REDIS_URL: 'redis://redis.test' })).toThrow(
      /REDIS_URL must be unset(?:.*\n)+.*CORE_BASE_URL must be a single URL/,
    )
    expect(() => readSettings({ ...complete, CORE_BASE_URL: 'https://a.test,b' })).toThrow(
      'CORE_BASE_URL must',
    )
  })

  it("requires the gateway's client certificate and key to be set together", () => {
    const given = { ...complete, CORE_CLIENT_KEY: '-----BEGIN PRIVATE KEY-----' }
    expect(() => readSettings(given)).toThrow('CORE_CLIENT_CERT must be set together with CORE_CLIENT_KEY')
  })

  it.each(['redis://redis.test', 'rediss://user:p%40ss@redis.test:6380/3'])('accepts REDIS_URL=%s', (url) => {
    expect(readSettings({ ...complete, REDIS_URL: url }).REDIS_URL).toBe(url)
  })

  it('lists REDIS_URL among the errors on Workers, without revealing its value', () => {
    const given = { ...complete, REDIS_URL: 'redis://:secret@redis.test', LOG_LEVEL: 'loud' }
    expect(readWorkerSettings(complete)).toEqual(readSettings(complete))
    expect(() => readWorkerSettings(given)).toThrow(/LOG_LEVEL must(?:.*\n)+.*REDIS_URL must be unset/)
    expect(() => readWorkerSettings(given)).not.toThrow('secret')
  })

  it('rejects a body limit of more than half of the body memory', () => {
    const large = { ...complete, BODY_LIMIT_BYTES: '20000000' }
    expect(readSettings(large).BODY_LIMIT_BYTES).toBe(20_000_000)
    expect(() => readWorkerSettings(large)).toThrow('BODY_LIMIT_BYTES must be at most 16777216 on Workers')
    const small = { ...large, BODY_MEMORY_BYTES: '30000000' }
    expect(() => readSettings(small)).toThrow('BODY_MEMORY_BYTES must be at least twice BODY_LIMIT_BYTES')
  })
})
