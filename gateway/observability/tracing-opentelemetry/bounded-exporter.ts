import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import { toLoggedRejection } from '../export-rejected.ts'

/** Too many spans were waiting for the collector, so one was dropped. */
class SpanQueueFull extends Error {
  override name = 'SpanQueueFull'
}

type LogThrottled = (error: unknown, message: string) => void

/** Limits how many spans wait for the collector, and logs spans that never reach it. */
export const createBoundedExporter = (
  exporter: SpanExporter,
  maxSpans: number,
  logThrottled: LogThrottled,
) => {
  let waiting = 0
  let lost = 0
  return {
    lost: () => lost,
    /** Call it before ending a span. Returns false if the span must be dropped. */
    reserve() {
      if (waiting >= maxSpans) {
        lost += 1
        logThrottled(new SpanQueueFull(), 'spans dropped')
        return false
      }
      waiting += 1
      return true
    },
    exporter: {
      export: (spans: ReadableSpan[], onResult: Parameters<SpanExporter['export']>[1]) =>
        exporter.export(spans, (result) => {
          waiting -= spans.length
          if (result.error) {
            lost += spans.length
            logThrottled(toLoggedRejection('SpansRejected', result.error), 'failed to export spans')
          }
          onResult(result)
        }),
      shutdown: () => exporter.shutdown(),
    },
  }
}
