import { describe, expect, it } from 'vitest'
import type { Variables } from '#gateway/settings/read-environment.ts'
import {
  readJobSettings,
  readSandboxSettings,
  readSettings,
  readWorkerSettings,
} from '#gateway/settings/settings.ts'
import { readMetricOptions, readTracingOptions } from '#gateway/settings/tracing.ts'

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

const ofOtherPrograms = {
  OTEL_EXPORTER_OTLP_HEADERS: 'no header',
  OTEL_TRACES_SAMPLER_ARG: 'endpoint=http://sampler.test',
}
const readers = [
  ['the gateway', readSettings],
  ['the sandbox', readSandboxSettings],
  ['the jobs', (given: Variables) => readJobSettings(given, () => true)],
  ['Workers', readWorkerSettings],
] as const

describe('OpenTelemetry settings', () => {
  it.each(readers)('are validated for %s only if an endpoint is set', (_, read) => {
    expect(read({ ...complete, ...ofOtherPrograms })).toMatchObject({ OTEL_TRACES_SAMPLER_ARG: 1 })
    const traced = { ...complete, ...ofOtherPrograms, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otlp.test:4318' }
    expect(() => read(traced)).toThrow(
      /OTEL_EXPORTER_OTLP_HEADERS must(?:.*\n)+.*OTEL_TRACES_SAMPLER_ARG must/,
    )
  })

  it('for metrics are not read on Workers', () => {
    const given = { ...complete, ...ofOtherPrograms, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'otlp.test' }
    expect(readWorkerSettings(given)).toEqual(readWorkerSettings(complete))
  })

  it.each(['https://user:key@otlp.test', 'https://otlp.test/?key=1', 'https://otlp.test/#key', 'otlp.test'])(
    'reject an endpoint to which no path can be appended: %s',
    (endpoint) => {
      expect(() => readSettings({ ...complete, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toThrow(
        '  OTEL_EXPORTER_OTLP_ENDPOINT must be',
      )
    },
  )

  it("decide whether metrics go to the traces' endpoint, to a separate one, or nowhere", () => {
    const urlOf = (given: Variables) =>
      readMetricOptions(readSettings({ ...complete, ...given }), 'name')?.url
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otlp.test:4318' }
    const ofMetrics = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://metrics.test/otlp/metrics' }
    expect(urlOf({})).toBeUndefined()
    expect(urlOf(endpoint)).toBe('http://otlp.test:4318/v1/metrics')
    expect(urlOf(ofMetrics)).toBe('http://metrics.test/otlp/metrics')
    expect(urlOf({ ...endpoint, ...ofMetrics })).toBe('http://metrics.test/otlp/metrics')
    expect(urlOf({ ...endpoint, OTEL_METRICS_EXPORTER: 'none' })).toBeUndefined()
    expect(readTracingOptions(readSettings({ ...complete, ...ofMetrics }), 'name')).toBeNull()
    expect(() =>
      readSettings({
        ...complete,
        ...endpoint,
        OTEL_METRICS_EXPORTER: 'prometheus',
        OTEL_METRIC_EXPORT_INTERVAL: '10',
      }),
    ).toThrow(/OTEL_METRIC_EXPORT_INTERVAL must(?:.*\n)+.*OTEL_METRICS_EXPORTER must be otlp or none/)
  })

  it('remove trailing slashes from an endpoint', () => {
    const settings = readSettings({
      ...complete,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otlp.test:4318/otlp//',
    })
    expect(settings.OTEL_EXPORTER_OTLP_ENDPOINT).toBe('http://otlp.test:4318/otlp')
  })
})
