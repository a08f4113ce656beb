import {
  bytesIn,
  doubleIn,
  hexIn,
  type Message,
  messagesIn,
  numberIn,
  readMessage,
  textIn,
} from './protobuf.ts'

export interface ExportedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty for the root span of a trace. */
  readonly parentId: string
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly hasFailed: boolean
  readonly resource: ExportedSpan['attributes']
}

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const
const failedStatus = 2

// `AnyValue` of opentelemetry/proto/common/v1/common.proto.
const readValue = (value: Message | undefined) => {
  if (value?.has(1)) return textIn(value, 1)
  if (value?.has(2)) return numberIn(value, 2) === 1
  if (value?.has(3)) return numberIn(value, 3)
  if (value?.has(4)) return doubleIn(value, 4)
  throw new Error('an attribute has no scalar value')
}

export const readAttributes = (message: Message, field: number) =>
  Object.fromEntries(
    messagesIn(message, field).map((pair) => [textIn(pair, 1), readValue(messagesIn(pair, 2)[0])]),
  )

const readSpan = (span: Message, resource: ExportedSpan['attributes']): ExportedSpan => ({
  traceId: hexIn(span, 1),
  spanId: hexIn(span, 2),
  parentId: hexIn(span, 4),
  name: textIn(span, 5),
  kind: kinds[numberIn(span, 6)] ?? 'internal',
  startNs: BigInt(span.get(7)?.[0]?.toString() ?? 0),
  endNs: BigInt(span.get(8)?.[0]?.toString() ?? 0),
  attributes: readAttributes(span, 9),
  links: messagesIn(span, 13).map((link) => ({ traceId: hexIn(link, 1), spanId: hexIn(link, 2) })),
  hasFailed: messagesIn(span, 15).some((status) => numberIn(status, 3) === failedStatus),
  resource,
})

/** Reads the spans in an OTLP `ExportTraceServiceRequest`. Throws if it is malformed. */
export const readSpans = (body: Buffer): ExportedSpan[] =>
  bytesIn(readMessage(body), 1)
    .map(readMessage)
    .flatMap((resourceSpans) => {
      const resource = Object.assign({}, ...messagesIn(resourceSpans, 1).map((it) => readAttributes(it, 1)))
      return messagesIn(resourceSpans, 2)
        .flatMap((scopeSpans) => messagesIn(scopeSpans, 2))
        .map((span) => readSpan(span, resource))
    })
