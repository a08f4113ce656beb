import * as z from 'zod'
import { asSecret } from './describe-value.ts'
import { splitList, type Variables } from './read-environment.ts'
import { baseUrl, integerBetween, wholeNumber } from './setting-types.ts'

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e]*$/

const decode = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const parsePair = (text: string): readonly [string, string] | null => {
  const separator = text.indexOf('=')
  const value = decode(text.slice(separator + 1).trim())
  return separator < 1 || value === null ? null : [text.slice(0, separator).trim(), value]
}

const parseHeader = (text: string) => {
  const pair = parsePair(text)
  return pair !== null && headerName.test(pair[0]) && headerValue.test(pair[1]) ? pair : null
}

/** Comma-separated `name=value` with URL-encoded values, as in OpenTelemetry. */
const pairsOf = (parse: (item: string) => readonly [string, string] | null) =>
  z.string().transform((text, context) => {
    const pairs: Record<string, string> = {}
    for (const item of splitList(text)) {
      const parsed = parse(item)
      if (parsed) pairs[parsed[0]] = parsed[1]
      else context.addIssue('must be a comma-separated list of name=value with URL-encoded values')
    }
    return pairs
  })

const shareError = 'must be a number from 0 to 1'

export const sampledShare = z
  .string()
  .regex(/^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/, { error: shareError })
  .transform(Number)

/** The settings of traces and exported metrics, named as in OpenTelemetry. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: asSecret(pairsOf(parseHeader)).optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: baseUrl.optional(),
  OTEL_METRIC_EXPORT_INTERVAL: wholeNumber(60_000).pipe(integerBetween(1000, 3_600_000)),
  OTEL_METRICS_EXPORTER: z.enum(['otlp', 'none'], { error: 'must be otlp or none' }).default('otlp'),
  OTEL_RESOURCE_ATTRIBUTES: pairsOf(parsePair).optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_TRACES_SAMPLER_ARG: sampledShare.default(1),
}

export type TracingVariables = z.infer<z.ZodObject<typeof tracingSettings>>

const unset = Object.fromEntries(Object.keys(tracingSettings).map((name) => [name, undefined]))

// Variables meant for other programs must not stop a process that sends nothing to a collector.
const withoutTracing = (environment: Variables): Variables => ({ ...environment, ...unset })

export const withUsedTracing = (environment: Variables): Variables =>
  environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT
    ? environment
    : withoutTracing(environment)

/** Like `withUsedTracing`, but ignores the metrics endpoint, for processes that send no metrics. */
export const withUsedTraces = (environment: Variables): Variables =>
  withUsedTracing({ ...environment, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: undefined })

const readSender = (settings: TracingVariables, defaultServiceName: string) => {
  const { OTEL_EXPORTER_OTLP_HEADERS: headers = {}, OTEL_RESOURCE_ATTRIBUTES: attributes = {} } = settings
  const serviceName = settings.OTEL_SERVICE_NAME ?? attributes['service.name'] ?? defaultServiceName
  return { headers, resource: { ...attributes, 'service.name': serviceName } }
}

export const readTracingOptions = (settings: TracingVariables, defaultServiceName: string) => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: sampledShare } = settings
  return endpoint === undefined
    ? null
    : { endpoint, sampledShare, ...readSender(settings, defaultServiceName) }
}

export const readMetricOptions = (settings: TracingVariables, defaultServiceName: string) => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_METRIC_EXPORT_INTERVAL: intervalMs } = settings
  const url = settings.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? (endpoint && `${endpoint}/v1/metrics`)
  if (url === undefined || settings.OTEL_METRICS_EXPORTER === 'none') return null
  return { url, intervalMs, ...readSender(settings, defaultServiceName) }
}
