import { afterAll } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import type { TestGatewayOptions } from '#test/support/gateway-options.ts'
import { startTestCollector } from '#test/support/otlp/collector.ts'
import type { ExportedSpan } from '#test/support/otlp/read-spans.ts'

/** Starts a gateway that sends its spans to its own collector; both stop after the test file. */
export const startTracedGateway = async (options: TestGatewayOptions = {}) => {
  const collector = await startTestCollector()
  afterAll(() => collector.close())
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const gateway = startTestGateway({
    control: 'fixed',
    ...options,
    environment: { ...tracing, ...options.environment },
  })
  return { gateway, collector, tracing }
}

export const findSpan = (spans: readonly ExportedSpan[], name: string) => {
  const found = spans.find((span) => span.name === name)
  if (!found) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`)
  return found
}

export const namesBelow = (spans: readonly ExportedSpan[], { spanId }: ExportedSpan) =>
  spans.filter(({ parentId }) => parentId === spanId).map(({ name }) => name)
