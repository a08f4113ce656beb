import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'

/** Too many spans wait for the collector, and one more was dropped. */
class SpanQueueFull extends Error {
  override name = 'SpanQueueFull'
}

/** The collector rejected a batch: `code` is its HTTP status. Its message and body may repeat what it was sent. */
class SpansRejected extends Error {
  override name = 'SpansRejected'
  readonly code: string

  constructor(status: number) {
    super()
    this.code = String(status)
  }
}

const toLoggedError = (error: Error) =>
  'code' in error && typeof error.code === 'number' ? new SpansRejected(error.code) : error

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
            logThrottled(toLoggedError(result.error), 'failed to export spans')
          }
          onResult(result)
        }),
      shutdown: () => exporter.shutdown(),
    },
  }
}
