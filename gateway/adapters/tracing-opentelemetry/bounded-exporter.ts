import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import { toLoggedRejection } from '../export-rejected.ts'

/** Too many spans wait for the collector, and one more was dropped. */
class SpanQueueFull extends Error {
  override name = 'SpanQueueFull'
}

type LogThrottled = (error: unknown, message: string) => void

/** Bounds the spans that wait for the collector, and logs what it does not receive. */
export const createBoundedExporter = (
  exporter: SpanExporter,
  maxSpans: number,
  logThrottled: LogThrottled,
) => {
  let waiting = 0
  let lost = 0
  return {
    /** How many spans the collector did not receive. */
    lost: () => lost,
    /** Call it before a span is ended: false if it has to be dropped. */
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
