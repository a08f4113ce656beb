import { describe, expect, it } from 'vitest'
import { defaultLimits } from '#sandbox/core/media-limits.ts'
import { defaultQuotas } from '#sandbox/core/quotas.ts'
import { defaultRates } from '#sandbox/core/rate-limit.ts'
import { readCoreSettings } from '#sandbox/core/settings.ts'
import { demoPlans } from '#sandbox/demo-plans.ts'

const complete = {
  DATABASE_URL: 'postgres://localhost/x',
  AUTH_ISSUER: 'https://issuer.example.test',
  AUTH_AUDIENCE: 'service',
  AUTH_JWKS_URL: 'https://issuer.example.test/jwks.json',
}

describe('readCoreSettings', () => {
  it('returns the defaults for unset variables', () => {
    expect(readCoreSettings(complete)).toEqual({
      databaseUrl: complete.DATABASE_URL,
      databaseCa: null,
      port: 0,
      issuer: complete.AUTH_ISSUER,
      audience: complete.AUTH_AUDIENCE,
      jwksUrl: complete.AUTH_JWKS_URL,
      plans: demoPlans,
      storage: null,
      limits: defaultLimits,
      quotas: defaultQuotas,
      rates: defaultRates,
      publicBaseUrl: null,
      email: null,
      billing: null,
      appOrigin: null,
      offersAnalysis: false,
      logLevel: 'error',
    })
  })

  it('reads plans from JSON', () => {
    const plans = [{ id: 'solo', priceId: null, entitlements: { 'tracks.share': 5 } }]
    expect(readCoreSettings({ ...complete, BILLING_PLANS: JSON.stringify(plans) }).plans).toEqual(plans)
  })

  it('reads rate limits, and off as none', () => {
    const { rates } = readCoreSettings({
      ...complete,
      RATE_LIMIT_SHARE_EVENTS: '5/10',
      RATE_LIMIT_PUBLIC_READS: 'off',
    })
    expect(rates).toEqual({ ...defaultRates, shareEvents: { count: 5, seconds: 10 }, publicReads: null })
  })

  const storage = {
    STORAGE_ENDPOINT: 'http://127.0.0.1:9000',
    STORAGE_REGION: 'us-east-1',
    STORAGE_BUCKET: 'media',
    STORAGE_ACCESS_KEY_ID: 'key',
    STORAGE_SECRET_ACCESS_KEY: 'hush-hush',
  }

  it('reads the settings of the object store and of uploads', () => {
    const settings = readCoreSettings({
      ...complete,
      ...storage,
      UPLOAD_MAX_AUDIO_BYTES: '1000',
      PLAYBACK_URL_TTL_S: '60',
      PUBLIC_BASE_URL: 'https://api.example.test/',
      MEDIA_INTELLIGENCE_URL: 'https://analysis.example.test',
    })
    expect(settings).toMatchObject({
      storage: {
        endpoint: 'http://127.0.0.1:9000',
        region: 'us-east-1',
        bucket: 'media',
        accessKeyId: 'key',
        secretAccessKey: 'hush-hush',
      },
      limits: { ...defaultLimits, audioBytes: 1000, playbackSeconds: 60 },
      publicBaseUrl: 'https://api.example.test',
      offersAnalysis: true,
    })
  })

  it('rejects incomplete settings of the object store', () => {
    const read = () => readCoreSettings({ ...complete, ...storage, STORAGE_BUCKET: undefined })
    expect(read).toThrow(/^STORAGE_BUCKET: [^;]*$/)
    expect(read).not.toThrow('hush-hush')
  })

  it.each([
    ['AUTH_JWKS_URL', 'nowhere'],
    ['CORE_PORT', '65536'],
    ['CORE_PORT', '80x'],
    ['BILLING_PLANS', '[{"id":""}]'],
    ['BILLING_PLANS', '/no/such/file.json'],
    ['LOG_LEVEL', 'loud'],
    ['UPLOAD_URL_TTL_S', '0'],
    ['UPLOAD_MAX_AUDIO_BYTES', '1 GiB'],
    ['PUBLIC_BASE_URL', 'here'],
    ['RATE_LIMIT_PUBLIC_READS', '300'],
    ['RATE_LIMIT_ACCESS_CODES', '0/60'],
    ['DATABASE_URL', undefined],
    ['DATABASE_URL', 'postgres://u:se/kr#et@127.0.0.1/x'],
    ['DATABASE_URL', 'http://db.test/x'],
  ])('names %s when it is %j, without the value', (name, value) => {
    const read = () => readCoreSettings({ ...complete, [name]: value })
    expect(read).toThrow(new RegExp(`^${name}: `))
    if (value) expect(read).not.toThrow(value)
  })
})
