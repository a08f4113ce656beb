import * as z from 'zod'
import { asSecret } from './describe-value.ts'
import { splitList, type Variables } from './read-environment.ts'
import { baseUrl } from './setting-types.ts'

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e]*$/

const decode = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const parseHeader = (text: string): readonly [string, string] | null => {
  const separator = text.indexOf('=')
  const name = text.slice(0, separator).trim()
  const value = decode(text.slice(separator + 1).trim())
  if (separator === -1 || value === null || !headerName.test(name) || !headerValue.test(value)) return null
  return [name, value]
}

/** Comma-separated `name=value` with URL-encoded values. */
const otlpHeaders = asSecret(
  z.string().transform((text, context) => {
    const headers: Record<string, string> = {}
    for (const item of splitList(text)) {
      const parsed = parseHeader(item)
      if (parsed) headers[parsed[0]] = parsed[1]
      else context.addIssue('must be a comma-separated list of name=value with URL-encoded values')
    }
    return headers
  }),
)

const shareError = 'must be a number from 0 to 1'

/** The share of what is recorded. */
export const sampledShare = z
  .string()
  .regex(/^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/, { error: shareError })
  .transform(Number)

/** The settings of traces, under the names of OpenTelemetry. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders.optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_TRACES_SAMPLER_ARG: sampledShare.default(1),
}

export interface TracingVariables {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  readonly OTEL_EXPORTER_OTLP_HEADERS?: Readonly<Record<string, string>> | undefined
  readonly OTEL_SERVICE_NAME?: string | undefined
  readonly OTEL_TRACES_SAMPLER_ARG: number
}

const unset = Object.fromEntries(Object.keys(tracingSettings).map((name) => [name, undefined]))

/** The environment of a process that records no spans: variables of other programs must not stop it. */
export const withoutTracing = (environment: Variables): Variables => ({ ...environment, ...unset })

/** Without an endpoint, no other of these variables is read. */
export const withUsedTracing = (environment: Variables): Variables =>
  environment.OTEL_EXPORTER_OTLP_ENDPOINT ? environment : withoutTracing(environment)

/** Reads the options of traces; null if no collector is configured. */
export const readTracingOptions = (settings: TracingVariables, defaultServiceName: string) => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = settings
  if (endpoint === undefined) return null
  const { OTEL_SERVICE_NAME: serviceName = defaultServiceName, OTEL_TRACES_SAMPLER_ARG: share } = settings
  return { endpoint, headers, serviceName, sampledShare: share }
}
